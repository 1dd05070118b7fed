export * from "./cart";
export { helper as assist } from "./util";
export * as money from "./money";
export { default as Shop } from "./shop";
export { default } from "./shop";
