use BlockDist;

const places = blockDist.createDomain({0..<1000 * numLocales});
const x: [places] real = [i in places] i: real;
writeln("the sum of squares is ", (+ reduce (x * x)): int);
