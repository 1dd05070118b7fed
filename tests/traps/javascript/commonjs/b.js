function helper(x) {
  return x;
}
function other(x) {
  return helper(x); //-> b.js:helper
}
function readFileSync(x) {
  return x;
}
module.exports = { helper, other };
