import { helper } from "@app/util";
import { helper as near } from "./util";
import { helper as other } from "@other/util";

helper(); //-> src/util/index.ts:helper
near(); //-> src/util/index.ts:helper
other(); //-> external
