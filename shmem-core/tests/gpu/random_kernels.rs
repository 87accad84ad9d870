for_each_kernel! { }
