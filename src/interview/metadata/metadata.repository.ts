import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';

/** `conversation.metadata` as it is stored, not validated. */
export interface MetadataRow {
  readonly metadata: unknown;
  readonly version: number;
  /** The database's time at this read. */
  readonly at: Date;
}

const READ = `select metadata, metadata_version as version,
    coalesce($2::timestamptz, clock_timestamp()) as at
  from conversation where id = $1`;

/** Merges $3 into the readable part of the metadata. */
const writing = (metadata: string): string => `update conversation set
    metadata = ${metadata} || $3::jsonb,
    metadata_version = metadata_version + 1,
    updated_at = coalesce($4::timestamptz, clock_timestamp())
  where id = $1 and metadata_version = $2
  returning metadata_version`;

/** For nearly every write; it costs PostgreSQL half as much as the other statement. */
const WRITE = writing('metadata');

/**
 * Moves the fields $5 aside. In SQL, so that a value stays as PostgreSQL has it: one that went
 * through JavaScript and back might come out another (a number of twenty digits).
 */
const WRITE_AND_SET_ASIDE = writing(
  `case jsonb_typeof(metadata) when 'object' then metadata - $5::text[] else '{}' end
    || jsonb_build_object('unreadable',
         case jsonb_typeof(metadata -> 'unreadable')
           when 'array' then metadata -> 'unreadable' else '[]' end
         || (select jsonb_agg(jsonb_build_object('field', field,
               'value', case when field is null then metadata else metadata -> field end))
             from unnest($5::text[]) as field))`,
);

/** The two columns of a conversation's metadata: `metadata` and its version. */
@Injectable()
export class MetadataRepository {
  async find(tx: Tx, id: string, now: Date | null): Promise<MetadataRow | undefined> {
    const [row] = await tx.query<MetadataRow>(READ, [id, now]);
    return row;
  }

  /** Locks the conversation until the end of this commit. */
  async lock(tx: Tx, id: string, now: Date | null): Promise<MetadataRow | undefined> {
    const [row] = await tx.query<MetadataRow>(`${READ} for no key update`, [id, now]);
    return row;
  }

  /**
   * Merges `patch` into the metadata, key by key, and increases the version by one; other keys stay
   * unchanged. `unreadable` names what is first moved aside to the key `unreadable`, a
   * list of `{ field, value }`: fields of the metadata, or null for the whole of it.
   * Returns false and writes nothing when the stored version is no longer `version`.
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
    const values = [id, version, JSON.stringify(patch), now];
    const rows =
      unreadable.length === 0
        ? await tx.query(WRITE, values)
        : await tx.query(WRITE_AND_SET_ASIDE, [...values, unreadable]);
    return rows.length === 1;
  }
}
