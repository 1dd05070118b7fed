pub fn helper() {}

pub mod inner {
    pub fn deep() {
        super::helper(); //-> src/tools.rs:helper
        helper(); //-> src/tools.rs:inner.helper
    }

    fn helper() {}
}
