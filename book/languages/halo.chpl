use StencilDist;

const inside = {0..<4, 0..<8 * numLocales};
const columns = reshape(Locales, {0..0, 0..<numLocales});
const places = stencilDist.createDomain(inside, columns, fluff=(0, 1), periodic=true);
var grid: [places] real;

forall (row, column) in places do
  grid[row, column] = 10 * (column / 8) + row;
grid.updateFluff();
for row in 0..<4 do
  write(grid[row, -1]: int, " ", grid[row, 8]: int, " ");
