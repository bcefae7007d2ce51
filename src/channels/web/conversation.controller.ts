import {
  Body,
  Controller,
  Get,
  HttpCode,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBearerAuth, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { BufferService } from '../../buffer';
import { DomainEvents, type InterviewReceipt } from '../../common/events';
import { ApiProblems, ProblemError, SESSION_SECURITY } from '../../common/http';
import { isTimeZone } from '../../common/time-zone';
import { type Label, RequestUnit, type Tx, UnitOfWork } from '../../common/uow';
import {
  ContinuationLinks,
  type ConversationView,
  ConversationViews,
  InterviewService,
  StoppedReplies,
  type TranscriptPage,
  Takeovers,
} from '../../interview';
import { TypingSigns } from '../../streams';
import {
  conversationJson,
  pageJson,
  timeJson,
  AcceptedDto,
  ContinuationDto,
  ConversationDto,
  type ConversationJson,
  DueDto,
  EmptyDto,
  ReceiptDto,
  TranscriptPageDto,
  type TranscriptPageJson,
} from './conversation.dto';
import {
  ActivityBody,
  ConsentBody,
  DoneBody,
  MessageBody,
  PageQuery,
  ProfileBody,
} from './conversation-bodies.dto';
import { CurrentConversation, SessionGuard } from './session-access';
import { WithdrawnWords } from './withdrawn-words';

type Empty = Record<string, never>;

/** A candidate's own conversation. */
@ApiTags('Candidate')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@UseInterceptors(WithdrawnWords)
@Controller('api/v1/conversation')
export class ConversationController {
  constructor(
    private readonly interviews: InterviewService,
    private readonly takeovers: Takeovers,
    private readonly views: ConversationViews,
    private readonly links: ContinuationLinks,
    private readonly buffer: BufferService,
    private readonly stopped: StoppedReplies,
    private readonly events: DomainEvents,
    private readonly typing: TypingSigns,
  ) {}

  /** The conversation with the newest messages; `olderCursor` leads to older ones. */
  @Get()
  @ApiOperation({ summary: 'The interview and its newest messages' })
  @ZodResponse({ status: 200, type: ConversationDto })
  async get(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<ConversationJson> {
    const { view, page } = await uow.commit('conversation.view', (tx) =>
      this.read(tx, conversationId),
    );
    return this.jsonOf(view, page);
  }

  /**
   * A page of the transcript: the newest messages, or with `before` those that are older. It holds at
   * most 100 messages and 64,000 characters, and at least one message; follow `olderCursor` until it
   * is null.
   */
  @Get('messages')
  @ApiOperation({ summary: 'Older messages, page by page' })
  @ZodResponse({ status: 200, type: TranscriptPageDto })
  async messages(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Query() { before, limit }: PageQuery,
  ): Promise<TranscriptPageJson> {
    const of = {
      ...(before === undefined ? {} : { before }),
      ...(limit === undefined ? {} : { limit }),
    };
    return pageJson(
      await uow.commitOne('conversation.page', (tx) => this.views.page(tx, conversationId, of)),
    );
  }

  /**
   * Which of the candidate's words are quoted in the rating of the finished interview, if its vacancy has
   * receipts. It shows no mark; a person decides. After an addition or a correction the answers
   * are rated again.
   */
  @Get('receipt')
  @ApiOperation({ summary: 'Which of the candidate’s words the rating quotes' })
  @ZodResponse({ status: 200, type: ReceiptDto })
  async receipt(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<InterviewReceipt> {
    const [receipt = null] = await uow.commit('conversation.receipt', (tx) =>
      this.events.collect(tx, 'interview.receipt', { conversationId }),
    );
    if (receipt !== null) return receipt;
    throw new ProblemError(404, 'receipt_unavailable', 'This interview has no receipt.');
  }

  /**
   * Accepts or declines the disclosure. A declined one may be accepted later. Once the interview has begun,
   * declining is refused with 409 `consent_given`: `withdraw` ends it, `forget` erases everything.
   */
  @Post('consent')
  @ApiOperation({ summary: 'Accept or decline the disclosure' })
  @ZodResponse({ status: 200, type: ConversationDto })
  consent(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { version, accepted, timeZone }: ConsentBody,
  ): Promise<ConversationJson> {
    return this.change(uow, conversationId, 'conversation.consent', async (tx) => {
      // On the web, so that the greeting does not go to a messenger that opened the interview before.
      await this.interviews.enter(tx, conversationId, 'web');
      const zone = timeZone !== undefined && isTimeZone(timeZone) ? { timeZone } : {};
      await this.interviews.consent(tx, conversationId, { version, accepted, ...zone });
    });
  }

  /** Stores who the candidate is. With consent and a complete profile the interview starts. */
  @Post('profile')
  @ApiOperation({ summary: 'Say who the candidate is; the interview starts' })
  @ZodResponse({ status: 200, type: ConversationDto })
  profile(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { name, contact }: ProfileBody,
  ): Promise<ConversationJson> {
    return this.change(uow, conversationId, 'conversation.profile', (tx) =>
      this.interviews.profile(tx, conversationId, {
        ...(name === undefined ? {} : { name }),
        ...(contact === undefined ? {} : { contact }),
      }),
    );
  }

  /** Stores a message. 202 means that it is stored durably. */
  @Post('messages')
  @ApiOperation({ summary: 'Send a message' })
  @ZodResponse({ status: 202, type: AcceptedDto })
  async send(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { id, text }: MessageBody,
  ): Promise<{ id: string; messageId: string; seq: number; dueAt: string | null }> {
    const { messageId, seq, dueAt } = await uow.commitOne('buffer.append', (tx) =>
      this.buffer.append(tx, { conversationId, channel: 'web', externalId: id, text }),
    );
    return { id, messageId, seq, dueAt: timeJson(dueAt) };
  }

  /** The candidate is typing or recording: extends the debounce window of the answer. */
  @Post('activity')
  @ApiOperation({ summary: 'The candidate is typing or recording: wait longer for the answer' })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'Noted' })
  async activity(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { type }: ActivityBody,
  ): Promise<void> {
    await uow.commitOne('buffer.activity', (tx) =>
      this.buffer.noteActivity(tx, { conversationId, kind: type }),
    );
    this.typing.note(conversationId, 'candidate');
  }

  /**
   * The candidate has finished the answer: it is due in a second, because a message that was sent before
   * may arrive after this. A client that sends it after the acknowledgement of all messages, and names the
   * last one, need not wait: the answer is due in 200 ms.
   */
  @Post('done')
  @ApiOperation({ summary: 'The answer is complete: reply to it' })
  @ZodResponse({ status: 202, type: DueDto })
  async done(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
    @Body() { lastMessageId }: DoneBody,
  ): Promise<{ dueAt: string | null }> {
    const lastMessage =
      lastMessageId === undefined
        ? {}
        : { lastMessage: { channel: 'web' as const, externalId: lastMessageId } };
    const { dueAt } = await uow.commit('buffer.finish', (tx) =>
      this.buffer.finish(tx, { conversationId, ...lastMessage }),
    );
    return { dueAt: timeJson(dueAt) };
  }

  /** Stops the running reply. The text that was streamed stays, and so does the question. */
  @Post('stop')
  @ApiOperation({ summary: 'Stop the reply that is being written' })
  @ZodResponse({ status: 202, type: EmptyDto })
  async stop(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('turn.stop', (tx) => this.interviews.requestStop(tx, conversationId));
    return {};
  }

  /**
   * Continues after a reply that was stopped: the interviewer says what the reply would have ended with,
   * the next question or the same one again. Without a stopped reply, or when the candidate has written
   * since, it changes nothing.
   */
  @Post('continue')
  @ApiOperation({ summary: 'Continue after a reply that was stopped' })
  @ZodResponse({ status: 202, type: EmptyDto })
  async continue(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('turn.continue', (tx) => this.stopped.continue(tx, conversationId));
    return {};
  }

  /** Asks for a person: the interview pauses. */
  @Post('human')
  @ApiOperation({ summary: 'Ask for a person' })
  @ZodResponse({ status: 202, type: EmptyDto })
  async human(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('conversation.hand_over', (tx) =>
      this.takeovers.requestPerson(tx, conversationId),
    );
    return {};
  }

  /** Continues the interview, as long as no person has written. */
  @Post('resume')
  @ApiOperation({ summary: 'Continue with the interviewer, while no person has written' })
  @ZodResponse({ status: 202, type: EmptyDto })
  async resume(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    const isTaken = await uow.commit('conversation.take_back', (tx) =>
      this.takeovers.takeBack(tx, conversationId),
    );
    if (!isTaken) {
      throw new ProblemError(409, 'conversation_with_person', 'A person has written already.');
    }
    return {};
  }

  /** A link that continues this interview in Telegram. It works once, for 24 hours. */
  @Post('continuation')
  @ApiOperation({ summary: 'Make a link that continues the interview in Telegram' })
  @ZodResponse({ status: 201, type: ContinuationDto })
  async continuation(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<{ url: string; expiresAt: string }> {
    const link = await uow.commit('conversation.continuation', (tx) =>
      this.links.continueOn(tx, conversationId, 'telegram'),
    );
    if (link === null) {
      throw new ProblemError(409, 'channel_off', 'There is no Telegram bot here.');
    }
    return { url: link.url, expiresAt: link.expiresAt.toISOString() };
  }

  /** Ends the interview. */
  @Post('withdraw')
  @ApiOperation({ summary: 'Withdraw from the interview' })
  @ZodResponse({ status: 202, type: EmptyDto })
  async withdraw(
    @CurrentConversation() conversationId: string,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<Empty> {
    await uow.commit('conversation.withdraw', (tx) => this.interviews.withdraw(tx, conversationId));
    return {};
  }

  private async change(
    uow: UnitOfWork,
    conversationId: string,
    label: Label,
    work: (tx: Tx) => Promise<void>,
  ): Promise<ConversationJson> {
    const { view, page } = await uow.commit(label, async (tx) => {
      await work(tx);
      return this.read(tx, conversationId);
    });
    return this.jsonOf(view, page);
  }

  private jsonOf(view: ConversationView, page: TranscriptPage): ConversationJson {
    const telegram = !view.isPreview && this.links.canContinueOn('telegram');
    return conversationJson(view, page, { telegram });
  }

  private async read(
    tx: Tx,
    conversationId: string,
  ): Promise<{ view: ConversationView; page: TranscriptPage }> {
    return {
      view: await this.views.view(tx, conversationId),
      page: await this.views.page(tx, conversationId),
    };
  }
}
