export * from "./cart.js";
export { helper as assist } from "./util.js";
