import { useThing } from "./hooks";

export function App(): unknown {
  const thing = useThing(); //-> hooks.ts:useThing
  return <Panel onClick={() => thing.run()} label={text()} />; //-> app.tsx:Panel, hooks.ts:Thing.run, app.tsx:text
}
function Panel(props: { onClick: () => void; label: string }): unknown {
  return props.onClick(); //-> ?
}
function text(): string {
  return "x";
}
