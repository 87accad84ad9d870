#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    
}
