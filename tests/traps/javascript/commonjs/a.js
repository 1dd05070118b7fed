const { helper, other: assist } = require("./b"); //-> external
const bee = require("./b"); //-> external
const fs = require("fs"); //-> external

function use() {
  helper(1); //-> b.js:helper
  assist(1); //-> b.js:other
  bee.helper(1); //-> b.js:helper
  fs.readFileSync("x"); //-> external
}
module.exports = { use };
