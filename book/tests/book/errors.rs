//! What the compiler says about wrong programs.

#[test]
fn wrong_programs_are_refused_as_shown() {
    trybuild::TestCases::new().compile_fail("errors/*.rs");
}
