function Animal(name) {
  this.name = name;
}
Animal.prototype.speak = function () {
  return say(this.name); //-> a.js:say
};
function say(x) {
  return x;
}
export function use() {
  const animal = new Animal("x"); //-> a.js:Animal
  animal.speak(); //-> a.js:Animal.speak
}
