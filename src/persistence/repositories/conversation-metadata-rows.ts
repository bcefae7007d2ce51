import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';

/** `conversation.metadata` as it is stored, whatever it is. */
export interface MetadataRow {
  readonly metadata: unknown;
  readonly version: number;
  /** The database's time at this read. */
  readonly at: Date;
}

const READ = `select metadata, metadata_version as version,
    coalesce($2::timestamptz, clock_timestamp()) as at
  from conversation where id = $1`;

/**
 * One statement, so that what cannot be read is moved as PostgreSQL has it: a value that went
 * through JavaScript and back might come out another (a number of twenty digits).
 */
const WRITE = `update conversation set
    metadata =
      case jsonb_typeof(metadata) when 'object' then metadata - $3::text[] else '{}' end
      || case when $3::text[] = '{}' then '{}' else jsonb_build_object('unreadable',
           case jsonb_typeof(metadata -> 'unreadable')
             when 'array' then metadata -> 'unreadable' else '[]' end
           || (select jsonb_agg(jsonb_build_object('field', field,
                 'value', case when field is null then metadata else metadata -> field end))
               from unnest($3::text[]) as field)) end
      || $4::jsonb,
    metadata_version = metadata_version + 1,
    updated_at = coalesce($5::timestamptz, clock_timestamp())
  where id = $1 and metadata_version = $2
  returning metadata_version`;

/** The two columns of a conversation's metadata: `metadata` and its version. */
@Injectable()
export class ConversationMetadataRows {
  async find(tx: Tx, id: string, now: Date | null): Promise<MetadataRow | undefined> {
    const [row] = await tx.query<MetadataRow>(READ, [id, now]);
    return row;
  }

  /** Nobody else writes the conversation until the end of this commit. */
  async lock(tx: Tx, id: string, now: Date | null): Promise<MetadataRow | undefined> {
    const [row] = await tx.query<MetadataRow>(`${READ} for no key update`, [id, now]);
    return row;
  }

  /**
   * Lays `patch` over the metadata, key by key, and makes the version one higher; keys that are not
   * in it stay as they are. `unreadable` names what is first moved aside to the key `unreadable`, a
   * list of `{ field, value }`: fields of the metadata, or null for the whole of it.
   * Answers false, and writes nothing, where the version is not `version` any more.
   */
  async write(
    tx: Tx,
    id: string,
    change: {
      readonly version: number;
      readonly unreadable: readonly (string | null)[];
      readonly patch: Readonly<Record<string, unknown>>;
      readonly now: Date | null;
    },
  ): Promise<boolean> {
    const { version, unreadable, patch, now } = change;
    const rows = await tx.query(WRITE, [id, version, unreadable, JSON.stringify(patch), now]);
    return rows.length === 1;
  }
}
