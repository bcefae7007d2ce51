import { Injectable } from '@nestjs/common';
import { CandidateRepository } from '../candidates';
import type { Tx } from '../common/uow';
import type { InterviewPlan } from '../vacancies';
import { ConversationRepository } from '../persistence';
import { type ProfileField, missingOf } from './introduction';
import { opening } from './plan/decision';
import { SystemMessages } from './spoken-lines';

/** Begins an interview once consent and profile are there. Under the conversation's lock. */
@Injectable()
export class InterviewStart {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly candidates: CandidateRepository,
    private readonly lines: SystemMessages,
  ) {}

  /** `isOpened`: the greeting and the first question were said just now, for the first time. */
  async startIfReady(tx: Tx, conversationId: string): Promise<{ isOpened: boolean }> {
    const conversation = await this.conversations.find(tx, conversationId);
    if (conversation?.status !== 'new' || conversation.consent?.accepted !== true) {
      return { isOpened: false };
    }
    const missing = await this.missingProfile(tx, conversation.candidateId);
    if (missing.length > 0) return { isOpened: false };
    let isOpened = false;
    for (const [index, text] of opening(conversation.plan as InterviewPlan).entries()) {
      const line = { role: 'assistant', externalId: `opening:${index}`, text } as const;
      if (await this.lines.say(tx, conversation, line)) isOpened = true;
    }
    await this.conversations.setStatus(tx, conversationId, 'active');
    return { isOpened };
  }

  async missingProfile(tx: Tx, candidateId: string): Promise<ProfileField[]> {
    return missingOf(await this.candidates.find(tx, candidateId));
  }
}
