export class Reply {
  text(): string {
    return "";
  }
}
export class Session {
  send(x: string): Reply {
    return new Reply(); //-> b.ts:Reply
  }
  async later(): Promise<Reply> {
    return this.send("x"); //-> b.ts:Session.send
  }
}
export class Client {
  current!: Session;
  session(): Session {
    return new Session(); //-> b.ts:Session
  }
}
export function openClient(): Client {
  return new Client(); //-> b.ts:Client
}
export const shared = new Client(); //-> b.ts:Client
