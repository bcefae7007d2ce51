import { Injectable } from '@nestjs/common';
import { type Tx, keptPlan } from '../../common/uow';
import {
  MESSAGE_COLUMNS,
  type MessageColumns,
  type MessageRow,
  toMessageRow,
} from './message.repository';

/** The bounds of a page. A message that is longer than `chars` is a page of its own. */
export interface PageSize {
  readonly lines: number;
  readonly chars: number;
}

/** Lines in their order. */
export interface MessagePage {
  readonly lines: readonly MessageRow[];
  /** There are more than fit on the page, in the direction in which it was read. */
  readonly isMore: boolean;
}

/** The position of a line among those read for a page, in the page's direction. */
const PLACED = `row_number() over page as place, sum(length(text)) over page as total,
  count(*) over ()::int as found`;

const ON_PAGE = (lines: string, chars: string): string =>
  `(place = 1 or place <= ${lines}::int and total <= ${chars}::int)`;

/** Transcripts in pages: no read grows with what a candidate has sent. Events are left out. */
@Injectable()
export class MessagePageRepository {
  /** The newest lines, or the newest of those with a sequence number below `before`. */
  async newest(
    tx: Tx,
    of: { readonly conversationId: string; readonly before: number | null },
    size: PageSize,
  ): Promise<MessagePage> {
    const rows = await tx.query<MessageColumns & { found: number }>(
      `select * from (
         select m.*, ${PLACED} from (
           select ${MESSAGE_COLUMNS} from message
           where conversation_id = $1 and role <> 'event' and ($2::int is null or seq < $2)
           order by seq desc limit $3::int + 1) m
         window page as (order by seq desc)) p
       where ${ON_PAGE('$3', '$4')} order by seq`,
      [of.conversationId, of.before, size.lines, size.chars],
    );
    return pageOf(rows);
  }

  /** For each reader the lines after `afterSeq`, oldest first; no lines for a reader with null. */
  async afterEach(
    tx: Tx,
    readers: readonly { readonly conversationId: string; readonly afterSeq: number | null }[],
    size: PageSize,
  ): Promise<MessagePage[]> {
    const rows = await tx.query<MessageColumns & { reader: number; found: number }>(
      // Ordered within: the planner then looks up each reader's lines and never scans them all.
      `select r.reader::int, p.*
       from unnest(${keptPlan('$1::uuid[]')}, ${keptPlan('$2::int[]')}) with ordinality as r (conversation_id, after_seq, reader)
       cross join lateral (
         select m.*, ${PLACED} from (
           select ${MESSAGE_COLUMNS} from message
           where conversation_id = r.conversation_id and seq > r.after_seq and role <> 'event'
           order by seq limit ${keptPlan('$3::int')} + 1) m
         window page as (order by seq)) p
       where ${ON_PAGE('$3', '$4')}
       order by r.reader, p.seq`,
      [
        readers.map((one) => one.conversationId),
        readers.map((one) => one.afterSeq),
        size.lines,
        size.chars,
      ],
    );
    const pages = readers.map((): typeof rows => []);
    for (const row of rows) pages[row.reader - 1]?.push(row);
    return pages.map(pageOf);
  }
}

function pageOf(rows: readonly (MessageColumns & { found: number })[]): MessagePage {
  return { lines: rows.map(toMessageRow), isMore: (rows[0]?.found ?? 0) > rows.length };
}
