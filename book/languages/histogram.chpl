use CyclicDist;

const places = cyclicDist.createDomain({0..<16});
var bins: [places] atomic int;

coforall loc in Locales do on loc do
  for i in 0..<1000 do
    bins[(1000 * here.id + i) % 137 % 16].add(1);
for bin in bins do
  write(bin.read(), " ");
