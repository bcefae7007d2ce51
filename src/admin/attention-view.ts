import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Principal } from '../access';
import { AttentionClaims, type AttentionItem, AttentionService, type Claim } from '../attention';
import type { Tx } from '../common/uow';
import { type InterviewBrief, InterviewBriefRepository } from '../interview';
import { AuditRepository } from '../privacy';
import type { about, item } from './attention.dto';

type ShownItem = z.infer<typeof item>;

/** Items as the API shows them: with whose interview each is about, what was asked, and who has it. */
@Injectable()
export class AttentionView {
  constructor(
    private readonly attention: AttentionService,
    private readonly claims: AttentionClaims,
    private readonly briefs: InterviewBriefRepository,
    private readonly audit: AuditRepository,
  ) {}

  /** In the order of the items. Whoever is shown words of a candidate has read the interview. */
  async of(tx: Tx, principal: Principal, items: readonly AttentionItem[]): Promise<ShownItem[]> {
    const counts = await this.attention.countUnder(tx, items);
    const claims = await this.claims.of(tx, items);
    const abouts = await this.aboutsOf(tx, principal, items);
    return items.map((one) => ({
      ...{ id: one.id, kind: one.kind, subject: one.subject },
      ...{ conversationId: one.conversationId, jobId: one.jobId, reason: one.reason },
      createdAt: one.createdAt.toISOString(),
      closedAt: one.closedAt?.toISOString() ?? null,
      ...{ closedBy: one.closedBy, resolution: one.resolution, under: one.under },
      isReplayable: this.attention.isReplayable(one),
      // A closed item has none under it, and neither has one about a conversation.
      itemCount: counts.get(one.id) ?? 0,
      about: abouts.get(one.id) ?? null,
      claim: shownClaim(claims.get(one.id)),
    }));
  }

  async one(tx: Tx, principal: Principal, item: AttentionItem): Promise<ShownItem> {
    const [shown] = await this.of(tx, principal, [item]);
    if (shown === undefined) throw new Error('an item is not shown');
    return shown;
  }

  private async aboutsOf(
    tx: Tx,
    principal: Principal,
    items: readonly AttentionItem[],
  ): Promise<ReadonlyMap<string, z.infer<typeof about>>> {
    const ids = [...new Set(items.flatMap(({ conversationId }) => conversationId ?? []))];
    const briefs = await this.briefs.list(tx, ids);
    const mayRead = principal.scopes.includes('interviews:read');
    const asked = mayRead ? await this.askedIn(tx, principal, items) : new Map<string, string>();
    return new Map(
      items.flatMap(({ id, conversationId }) => {
        const brief = briefs.get(conversationId ?? '');
        if (brief === undefined) return [];
        return [[id, aboutOf(brief, { mayRead, asked: asked.get(id) ?? null })] as const];
      }),
    );
  }

  /** By item, what its candidate asked; each reading is noted. */
  private async askedIn(
    tx: Tx,
    { actor }: Principal,
    items: readonly AttentionItem[],
  ): Promise<ReadonlyMap<string, string>> {
    const questions = items.flatMap(({ id, kind, conversationId, createdAt }) =>
      kind === 'question' && conversationId !== null
        ? [{ id, conversationId, before: createdAt }]
        : [],
    );
    const said = await this.briefs.saidBefore(tx, questions);
    const asked = questions.flatMap(({ id, conversationId }, index) => {
      const text = said[index] ?? null;
      return text === null ? [] : [{ id, conversationId, text }];
    });
    const read = [...new Set(asked.map(({ conversationId }) => conversationId))];
    // The list is read again whenever something of it changes.
    if (read.length > 0)
      await this.audit.noteHourly(tx, { actor, action: 'transcript.read' }, read);
    return new Map(asked.map(({ id, text }) => [id, text]));
  }
}

function aboutOf(
  brief: InterviewBrief,
  { mayRead, asked }: { readonly mayRead: boolean; readonly asked: string | null },
): z.infer<typeof about> {
  const { vacancy, vacancyTitle, language, channel, status, owner, openQuestion } = brief;
  return {
    candidate: mayRead ? brief.candidate : null,
    ...{ vacancy, vacancyTitle, language, channel, status, owner, openQuestion },
    candidateQuestion: asked,
  };
}

function shownClaim(claim: Claim | undefined): ShownItem['claim'] {
  if (claim === undefined) return null;
  const { heldBy, since, until } = claim;
  return { heldBy, since: since.toISOString(), until: until.toISOString() };
}
