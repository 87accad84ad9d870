# Starts a Slurm of one machine in the folder $1, runs the rest of the arguments under it, and ends with their status.
#
# It is the first process of its own namespaces, so all that it starts ends with it, and no other Slurm is disturbed.
set -eu
folder=$1
shift
hostname one
mount -t proc proc /proc
# Also for what PMIx names by the number of the job: two Slurms at a time would have the same name in /tmp.
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
# Slurm looks for an address of a network beside that of the loop: here it is one end of a cable.
ip link add cable type veth peer name end
ip address add 10.123.0.1/24 dev cable
ip link set cable up
ip link set end up
mkdir "$folder/state" "$folder/spool"
head -c 1024 /dev/urandom >"$folder/key"
chmod 400 "$folder/key"
cat >"$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=one(10.123.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
TmpFS=/dev/shm
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=one NodeAddr=10.123.0.1 CPUs=4
PartitionName=all Nodes=one Default=YES
END
munged --force --key-file="$folder/key" --socket="$folder/munge" --pid-file="$folder/munge.pid" \
    --log-file="$folder/munge.log" --seed-file="$folder/seed" 2>/dev/null
export SLURM_CONF="$folder/slurm.conf"
# Open MPI makes a folder of its user there, which jobs of other tests would make too.
export TMPDIR=/dev/shm
slurmctld
slurmd
tries=0
until [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; do
    tries=$((tries + 1))
    if [ "$tries" = 600 ]; then
        echo "Slurm has no idle node after a minute:" >&2
        sinfo >&2
        tail -n 20 "$folder"/*.log >&2
        exit 1
    fi
    sleep 0.1
done
status=0
"$@" || status=$?
exit "$status"
