function before() {
  return helper(); //-> a.js:helper
}

const x = { a: 1,, };

function helper() {
  return 1;
}

function after() {
  return helper(); //-> a.js:helper
}
