/** What a database has written so far, by all of its clients. */
import type { Client } from 'pg';

export interface Stored {
  readonly pieces: number;
  readonly heartbeats: number;
  readonly rows: number;
  readonly walRecords: number;
  readonly walBytes: number;
}

export async function storedBy(client: Client): Promise<Stored> {
  const { rows } = await client.query<Record<keyof Stored, string>>(
    `select sum(n_tup_ins) filter (where relname = 'turn_segment') as pieces,
       sum(n_tup_upd) filter (where relname = 'job') as heartbeats,
       sum(n_tup_ins + n_tup_upd + n_tup_del) as rows,
       (select wal_records from pg_stat_wal) as "walRecords",
       (select wal_bytes from pg_stat_wal) as "walBytes"
     from pg_stat_user_tables`,
  );
  const [row] = rows;
  return {
    pieces: Number(row?.pieces),
    heartbeats: Number(row?.heartbeats),
    rows: Number(row?.rows),
    walRecords: Number(row?.walRecords),
    walBytes: Number(row?.walBytes),
  };
}
