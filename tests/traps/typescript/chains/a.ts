import { Client, openClient, shared } from "./b";

export class App {
  private other = openClient(); //-> b.ts:openClient
  readonly made = new Client(); //-> b.ts:Client
  constructor(private client: Client) {}
  run(): void {
    this.client.session().send("x"); //-> b.ts:Client.session, b.ts:Session.send
    this.other.session().send("x").text(); //-> b.ts:Client.session, b.ts:Session.send, b.ts:Reply.text
    this.client.current.send("x"); //-> b.ts:Session.send
    this.made.session(); //-> b.ts:Client.session
    shared.session(); //-> b.ts:Client.session
  }
}
export async function use(): Promise<void> {
  openClient().session().send("x"); //-> b.ts:openClient, b.ts:Client.session, b.ts:Session.send
  const session = openClient().session(); //-> b.ts:openClient, b.ts:Client.session
  session.send("x"); //-> b.ts:Session.send
  session?.send("x"); //-> b.ts:Session.send
  session!.send("x"); //-> b.ts:Session.send
  (await session.later()).text(); //-> b.ts:Session.later, b.ts:Reply.text
}
