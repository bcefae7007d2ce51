import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/** Where the running application is reached. */
export interface Instance {
  readonly publicUrl: string;
  /** Without the @; null: no bot is configured, or its name is not known yet. */
  readonly botName: string | null;
}

/** Keeps the name that getMe returned, unless the bot is switched off or another name is set. */
const STORE = `
insert into instance (public_url, bot_name, updated_at)
values ($1, $2, coalesce($4::timestamptz, clock_timestamp()))
on conflict (is_only) do update set
  public_url = excluded.public_url,
  bot_name = case when $3 then coalesce(excluded.bot_name, instance.bot_name) end,
  updated_at = excluded.updated_at`;

/**
 * The one row in which the process that serves says where it is reached, so that a command makes the
 * same links without a setting. Of several replicas the last one that started has written it.
 */
@Injectable()
export class InstanceRepository {
  constructor(private readonly clock: Clock) {}

  /** `botName`: as TELEGRAM_BOT_NAME has it, empty where it is not set. */
  async store(
    tx: Tx,
    instance: { publicUrl: string; isBotOn: boolean; botName: string },
  ): Promise<void> {
    const { publicUrl, isBotOn, botName } = instance;
    const name = isBotOn && botName !== '' ? botName : null;
    await tx.query(STORE, [publicUrl, name, isBotOn, this.clock.databaseNow()]);
  }

  /** Stores the name that the Bot API returned. Does nothing before the process serves. */
  async storeBotName(tx: Tx, botName: string): Promise<void> {
    await tx.query('update instance set bot_name = $1', [botName]);
  }

  /** Where people reach the application: the setting of this process wins over what the running one has stored. */
  async baseUrl(
    tx: Tx,
    { publicUrl, port }: { readonly publicUrl: string; readonly port: number },
  ): Promise<string> {
    if (publicUrl !== '') return publicUrl;
    return (await this.find(tx))?.publicUrl ?? `http://localhost:${String(port)}`;
  }

  async find(tx: Tx): Promise<Instance | null> {
    const [row] = await tx.query<{ public_url: string; bot_name: string | null }>(
      'select public_url, bot_name from instance',
    );
    return row === undefined ? null : { publicUrl: row.public_url, botName: row.bot_name };
  }
}
