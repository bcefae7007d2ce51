import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { cli, database } from './cli-database';

describe('a command says in one sentence that the database', () => {
  test.each<[string, (address: URL) => void, string]>([
    [
      'refuses the password',
      (address) => (address.password = 'wrong'),
      'refuses the user "USER" or its password (28P01): check DATABASE_URL.',
    ],
    [
      'does not exist',
      (address) => (address.pathname = '/nowhere'),
      'has no database "nowhere": create it, or check DATABASE_URL.',
    ],
  ])('%s', async (_what, change, sentence) => {
    const address = new URL(database().url);
    const { username, host } = address;
    change(address);

    const run = await cli(['vacancy', 'list'], { DATABASE_URL: address.href });

    expect(run).toEqual({
      code: 3,
      out: '',
      err: `The database server at ${host} ${sentence.replace('USER', username)}\n`,
    });
  });

  test('wants a password, and does not wait for the server to end the connection', async () => {
    const server = await ScramServer.open();

    const run = await cli(['vacancy', 'list'], {
      DATABASE_URL: `postgres://ada@127.0.0.1:${String(server.port)}/colloquy`,
    });

    expect(run).toEqual({
      code: 3,
      out: '',
      err: `The database server at 127.0.0.1:${String(server.port)} wants a password for the user "ada", and DATABASE_URL has none: add it.\n`,
    });
    await server.untilLeft();
    await server.close();
  });
});

const SASL = 10;
const SASL_CONTINUE = 11;

/** Asks for a password as PostgreSQL does (SCRAM-SHA-256), and ends no connection by itself. */
class ScramServer {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(authentication(SASL, 'SCRAM-SHA-256\0\0'));
        socket.once('data', (initial) => {
          const nonce = /r=([^,]+)$/.exec(initial.toString('latin1'))?.[1] ?? '';
          socket.write(authentication(SASL_CONTINUE, `r=${nonce}1,s=c2FsdA==,i=4096`));
        });
      });
    });
  }

  static async open(): Promise<ScramServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScramServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async untilLeft(): Promise<void> {
    for (const socket of this.sockets) await once(socket, 'close');
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The message `R` of https://www.postgresql.org/docs/current/protocol-message-formats.html. */
function authentication(kind: number, data: string): Buffer {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + data.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(data, 'latin1')]);
}
