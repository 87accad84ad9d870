import numpy as np
from shmem4py import shmem

POINTS, CLUSTERS, ROUNDS = 60, 3, 10

me = shmem.my_pe()
i = me * POINTS + np.arange(POINTS)
points = np.column_stack((i * 37 % 101, i * 61 % 89)).astype(float)
centres = np.array([[0.0, 0.0], [50.0, 50.0], [100.0, 80.0]])
mine = shmem.zeros((CLUSTERS, 3))  # the sum of x, the sum of y, how many
total = shmem.zeros((CLUSTERS, 3))

for _ in range(ROUNDS):
    distances = ((points[:, None] - centres) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    for cluster in range(CLUSTERS):
        group = points[nearest == cluster]
        mine[cluster, :2] = group.sum(axis=0)
        mine[cluster, 2] = len(group)
    shmem.sum_reduce(total, mine)
    centres = total[:, :2] / total[:, 2:]

if me == 0:
    for x, y in centres:
        print(f"{x:.2f} {y:.2f}")
