import * as Tools from "./Tools";

const tools = {
  run(): void {
    Tools.run(); //-> Tools.ts:run
  },
};
tools.run(); //-> use.ts:run@4
Tools.run(); //-> Tools.ts:run
