import start, { other as start2 } from "./a";
import { default as again } from "./a";
import made from "./b";

start(1); //-> a.ts:main
start2(1); //-> a.ts:other
again(1); //-> a.ts:main
made(); //-> b.ts:make
