//! What the compiler says about the wrong programs of the book: every program in `errors` is refused
//! with the message beside it.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    // SAFETY: this is the only thread.
    unsafe { ui_tests::give_all_crates_the_same_flags() };
    let trial = Trial::test("wrong_programs_are_refused_as_shown", || {
        trybuild::TestCases::new().compile_fail("errors/*.rs");
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}
