import { assist, total } from "./index.js";

assist(); //-> util.js:helper
total(); //-> cart.js:total
