use BlockDist;

config const n = 16, epsilon = 0.1;

const whole = blockDist.createDomain({0..n+1, 0..n+1});
const inside = whole[1..n, 1..n];
var old, new: [whole] real;
old[n/2 + 1, n/2 + 1] = 1000.0;
var steps = 0;

do {
  forall (i, j) in inside do
    new[i, j] = (old[i-1, j] + old[i+1, j] + old[i, j-1] + old[i, j+1]) / 4;
  const change = max reduce abs(new[inside] - old[inside]);
  old[inside] = new[inside];
  steps += 1;
} while change > epsilon;

writeln(steps, " steps, sum ", round(+ reduce old[inside]): int);
