import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

/**
 * The page that stands for a finished interview on its vacancy's owner's board: one row of
 * `notion_review`.
 *
 *   wanted ──a create begins──> creating ──its page is known──> shown ──brought up to date──┐
 *     │                            │                              │ ^─────────────────────┘
 *     │ erasure                    └──erasure──> removing <──erasure┘
 *     v                                             └──page in the trash, or none found──> deleted
 *   deleted
 *
 *   wanted    nothing was sent to Notion yet.
 *   creating  a create was begun, and it is unknown whether it arrived: the page is looked up, and
 *             another one is created only when queries show every page that may have been made.
 *   shown     `pageId` is the page; `shownDigest` is the hash of what was written, null: unknown.
 *   removing  the interview is erased. The row names its conversation only as long as the page
 *             cannot be found otherwise.
 *
 * Written by ReviewRequests in the commits of the interview and of an erasure, and by the jobs
 * `review:<conversation>` of the queue `notion-review` and `removal:<row>` of `notion-removal`.
 */
export type ReviewState = 'wanted' | 'creating' | 'shown' | 'removing';

export interface ReviewRow {
  readonly id: string;
  readonly conversationId: string | null;
  readonly state: ReviewState;
  /** The Notion user to whom the page is assigned; null: none. */
  readonly ownerId: string | null;
  readonly pageId: string | null;
  /** When the last create was begun. */
  readonly begunAt: Date | null;
  /** Id of the property that contains its link; null: none. */
  readonly linkProperty: string | null;
  /** The hash of the title with which it was created. */
  readonly titleDigest: string | null;
  readonly shownDigest: string | null;
  /** How often the page was not found when it was to be removed. */
  readonly failedSearches: number;
}

const COLUMNS = `id, conversation_id as "conversationId", state, owner_id as "ownerId",
  page_id as "pageId", begun_at as "begunAt", link_property as "linkProperty",
  title_digest as "titleDigest", shown_digest as "shownDigest",
  failed_searches as "failedSearches"`;

/** `notion_review`. */
@Injectable()
export class ReviewRepository {
  constructor(private readonly clock: Clock) {}

  /** A conversation has one row; another one changes nothing. */
  async want(tx: Tx, id: string, conversationId: string): Promise<void> {
    await tx.query(
      `insert into notion_review (id, conversation_id) values ($1, $2)
       on conflict (conversation_id) do nothing`,
      [id, conversationId],
    );
  }

  async find(tx: Tx, conversationId: string): Promise<ReviewRow | null> {
    const [row] = await this.listOf(tx, [conversationId]);
    return row ?? null;
  }

  async get(tx: Tx, id: string): Promise<ReviewRow | null> {
    const [row] = await tx.query<ReviewRow>(`select ${COLUMNS} from notion_review where id = $1`, [
      id,
    ]);
    return row ?? null;
  }

  listOf(tx: Tx, conversationIds: readonly string[]): Promise<ReviewRow[]> {
    return tx.query<ReviewRow>(
      `select ${COLUMNS} from notion_review where conversation_id = any($1::uuid[]) order by id`,
      [conversationIds],
    );
  }

  /** wanted, creating → creating. */
  async begin(
    tx: Tx,
    id: string,
    create: { ownerId: string | null; linkProperty: string | null; titleDigest: string },
  ): Promise<void> {
    await tx.query(
      `update notion_review
       set state = 'creating', begun_at = coalesce($5::timestamptz, clock_timestamp()),
         owner_id = $2, link_property = $3, title_digest = $4
       where id = $1`,
      [id, create.ownerId, create.linkProperty, create.titleDigest, this.clock.databaseNow()],
    );
  }

  /** The create may have been under way until now, so a query may not show its page for `forMs`. */
  async extendUnseen(tx: Tx, id: string, forMs: number): Promise<void> {
    await tx.query(
      `update notion_review
       set unseen_until =
         coalesce($2::timestamptz, clock_timestamp()) + $3::float8 * interval '1 millisecond'
       where id = $1 and state = 'creating'`,
      [id, this.clock.databaseNow(), forMs],
    );
  }

  /**
   * For how many milliseconds a query may not show the page of the last create; 0: it does. `forMs`: how
   * long after a create was begun.
   */
  async unseenForMs(tx: Tx, id: string, forMs: number): Promise<number> {
    const [row] = await tx.query<{ leftMs: number | null }>(
      `select extract(epoch from
           greatest(unseen_until, begun_at + $3::float8 * interval '1 millisecond')
           - coalesce($2::timestamptz, clock_timestamp()))::float8 * 1000 as "leftMs"
       from notion_review where id = $1`,
      [id, this.clock.databaseNow(), forMs],
    );
    return Math.max(0, row?.leftMs ?? 0);
  }

  /** creating, shown → shown. */
  async show(
    tx: Tx,
    id: string,
    shown: { pageId: string; ownerId: string | null; digest: string | null },
  ): Promise<void> {
    await tx.query(
      `update notion_review
       set state = 'shown', page_id = $2, owner_id = $3, shown_digest = $4
       where id = $1`,
      [id, shown.pageId, shown.ownerId, shown.digest],
    );
  }

  /**
   * For erased conversations: deletes rows that were never sent and marks the others for removal. Returns
   * the latter. A row names its conversation until its pages are removed, because it finds them.
   */
  async startRemoval(tx: Tx, conversationIds: readonly string[]): Promise<ReviewRow[]> {
    await tx.query(
      `delete from notion_review where conversation_id = any($1::uuid[]) and state = 'wanted'`,
      [conversationIds],
    );
    return tx.query<ReviewRow>(
      `update notion_review
       set state = 'removing', shown_digest = null,
         title_digest = case when page_id is null then title_digest end
       where conversation_id = any($1::uuid[]) and state <> 'removing'
       returning ${COLUMNS}`,
      [conversationIds],
    );
  }

  /** The given pages that belong to no interview yet, in the given order. */
  async free(tx: Tx, pageIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select p.id from unnest($1::uuid[]) with ordinality as p (id, place)
       where not exists (select from notion_review r where r.page_id = p.id)
       order by p.place`,
      [pageIds],
    );
    return rows.map(({ id }) => id);
  }

  async countFailedSearch(tx: Tx, id: string): Promise<void> {
    await tx.query(`update notion_review set failed_searches = failed_searches + 1 where id = $1`, [
      id,
    ]);
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.query(`delete from notion_review where id = $1`, [id]);
  }
}
