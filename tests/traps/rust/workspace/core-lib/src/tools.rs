pub fn make() {}
