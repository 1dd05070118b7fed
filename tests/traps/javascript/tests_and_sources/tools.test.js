function make() {}
make(); //-> tools.test.js:make
