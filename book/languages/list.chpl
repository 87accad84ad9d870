use BlockDist;

const places = blockDist.createDomain({0..<1000 * numLocales});
const table: [places] int = [i in places] i;
const list = [3, 900, 17, 512, 77];
const next = 1000 * (1 % numLocales);
writeln("five elements of the next PE: ", + reduce [i in list] table[next + i]);
