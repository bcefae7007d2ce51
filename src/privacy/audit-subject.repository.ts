import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';

export const SUBJECT_KINDS = ['candidate', 'interview', 'vacancy', 'user', 'key'] as const;

/** What a row of the audit is about, while it is there. */
export interface AuditSubject {
  readonly kind: (typeof SUBJECT_KINDS)[number];
  /** Of a vacancy its slug, otherwise its id. */
  readonly id: string;
  /** Null: the candidate has none. */
  readonly name: string | null;
}

/**
 * What rows of the audit are about. A row holds only a hash, so its subject is looked for among those that there
 * are: of somebody who was erased nothing is found, and nothing has to be deleted. A read model over the tables of
 * several rooms; two of them have an index on the hash.
 */
@Injectable()
export class AuditSubjectRepository {
  /** By hash. What is gone, or of another kind, is left out. */
  async find(tx: Tx, hashes: readonly string[]): Promise<ReadonlyMap<string, AuditSubject>> {
    const rows = await tx.query<AuditSubject & { readonly hash: string }>(FIND, [
      [...new Set(hashes)],
    ]);
    return new Map(rows.map(({ hash, ...subject }) => [hash, subject]));
  }
}

/** As the audit hashes an id, and as the indexes have it. */
const hashOf = (id: string): string => `encode(sha256(${id}::text::bytea), 'hex')`;

const FIND = `
select ${hashOf('c.id')} as hash, 'candidate' as kind, c.id::text, c.name
from candidate c where ${hashOf('c.id')} = any($1::text[])
union all
select ${hashOf('v.id')}, 'interview', v.id::text, p.name
from conversation v join candidate p on p.id = v.candidate_id
where ${hashOf('v.id')} = any($1::text[])
union all
select ${hashOf('v.id')}, 'vacancy', v.slug, v.title
from vacancy v where ${hashOf('v.id')} = any($1::text[])
union all
select ${hashOf('u.id')}, 'user', u.id::text, u.name
from app_user u where ${hashOf('u.id')} = any($1::text[])
union all
select ${hashOf('k.id')}, 'key', k.id::text, k.name
from api_key k where ${hashOf('k.id')} = any($1::text[])`;
