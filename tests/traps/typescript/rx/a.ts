import { take } from "rxjs/operators";
import { pipe } from "./pipe";

export function use(): void {
  pipe(take(1)); //-> pipe.ts:pipe, external
}
