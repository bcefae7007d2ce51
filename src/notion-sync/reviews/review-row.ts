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
 *   creating  a create was begun, and nobody knows whether it arrived: the page is looked up before
 *             another one is made.
 *   shown     `pageId` is the page; `shownDigest` tells what was written into it, null: not known.
 *   removing  the interview is erased. The row names its conversation only as long as the page
 *             cannot be found otherwise.
 *
 * Written by Reviews in the commits of the interview and of an erasure, and by the tasks
 * `review:<conversation>` and `removal:<row>` of the lane `notion-event`.
 */
export type ReviewState = 'wanted' | 'creating' | 'shown' | 'removing';

export interface ReviewRow {
  readonly id: string;
  readonly conversationId: string | null;
  readonly state: ReviewState;
  /** The Notion user to whom the page was given, or is being given; null: nobody. */
  readonly ownerId: string | null;
  readonly pageId: string | null;
  /** When the last create was begun. */
  readonly begunAt: Date | null;
  /** Id of the property that its link went into; null: it has none. */
  readonly linkProperty: string | null;
  /** Of the title that it was created with. */
  readonly titleDigest: string | null;
  readonly shownDigest: string | null;
  /** How often a page that is to be removed was looked for in vain. */
  readonly looks: number;
}
