/** The minimum that accepting an update costs: Fastify parses it, one insert stores it, 200. */
import Fastify from 'fastify';
import { Pool } from 'pg';
import { SECRET, WEBHOOK } from '../lib/telegram';

interface Update {
  readonly update_id: number;
  readonly message: { readonly chat: { readonly id: number } };
}

async function main(): Promise<void> {
  const pool = new Pool({
    connectionString: process.env['DATABASE_URL'],
    max: Number(process.env['DATABASE_POOL_SIZE']),
  });
  const server = Fastify();
  server.post<{ Body: Update }>(WEBHOOK, async ({ headers, body }, reply) => {
    if (headers['x-telegram-bot-api-secret-token'] !== SECRET) return reply.code(401).send();
    await pool.query(
      `insert into bare_update (update_id, chat_id, payload) values ($1, $2, $3)
       on conflict do nothing`,
      [body.update_id, body.message.chat.id, JSON.stringify(body)],
    );
    return reply.code(200).send();
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  process.stdout.write(`ready ${JSON.stringify({ url })}\n`);
  // The bench that started it is gone.
  process.once('disconnect', () => process.exit(1));
  process.once('SIGTERM', () => process.exit(0));
}

void main();
