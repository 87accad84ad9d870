use BlockDist;

const each = blockDist.createDomain({0..<numLocales});
var got: [each] int;

coforall loc in Locales do on loc do
  got[(here.id + 1) % numLocales] = here.id;
writeln("PE 0 got ", got[0]);
