import { randomUUID } from 'node:crypto';
import { CandidateRepository, WebSessionRepository } from '../../src/candidates';
import { BufferService } from '../../src/buffer';
import {
  type InviteLookup,
  InvitationRepository,
  VacancyRepository,
  type Vacancy,
} from '../../src/vacancies';
import { DISCLOSURE_VERSION } from '../../src/interview/interview-start';
import {
  type Erased,
  type PageCommit,
  PersonalDataService,
  type PersonalDataExport,
} from '../../src/privacy';
import { KnowledgeRepository } from '../../src/knowledge';
import { documentOf } from '../../src/knowledge/document-files';
import { FakeChannel } from '../delivery/fake-channel';
import { callSearch, fromPassage, storeDocuments } from '../interview/knowledge-turns';
import { TurnCandidate } from '../interview/turn-candidate';
import { invitationSecrets } from '../support/invitations';
import { vacancyDraft } from '../support/vacancies';
import { replyWith } from '../../tools/fake-model/model-server';
import { until } from '../support/model-calls';
import {
  startInterviews,
  closeInterviews,
  plugTelegram,
  pause,
  settled,
  live,
  visible,
  type InterviewOptions,
} from '../interview/interview-fixture';
import { InterviewService, InterviewStart } from '../../src/interview';
import type { TestApp } from '../support/app';

type PersonalInvite = Extract<InviteLookup, { kind: 'personal' }>;

/** A person about whom something is stored, and everything that identifies them. */
export interface Person {
  readonly candidateId: string;
  readonly conversations: TurnCandidate[];
  /** One for each conversation, in the same order. */
  readonly invitations: PersonalInvite[];
  /** Ids, words, names and addresses that no row may hold after the erasure. */
  readonly needles: string[];
}

/** Interviews that store everything that the program can store about a person. */
export class PrivacyStage {
  readonly channel = new FakeChannel();

  private constructor(readonly app: TestApp) {}

  static async open(options: InterviewOptions = {}): Promise<PrivacyStage> {
    const app = await startInterviews(options);
    const stage = new PrivacyStage(app);
    plugTelegram(app).sender = stage.channel;
    await storeDocuments(app, { 'shifts.md': 'The early shift begins at four.' });
    return stage;
  }

  /** Words that occur nowhere else. */
  words(of: Person, about: string): string {
    const words = `${about} ${randomUUID()}`;
    of.needles.push(words);
    return words;
  }

  /** A candidate who was invited by name, has agreed and was asked the first question. */
  async person(vacancy: Vacancy = this.app.vacancy): Promise<Person> {
    const [name, contact] = [`Ada ${randomUUID()}`, `ada-${randomUUID()}@example.org`];
    const telegramUsername = `ada_${randomUUID().slice(0, 8)}`;
    const { id: candidateId } = await this.app.commit((tx) =>
      this.app.get(CandidateRepository).create(tx, { name, contact, telegramUsername }),
    );
    const needles = [name, contact, telegramUsername, candidateId];
    const person = { candidateId, conversations: [], invitations: [], needles };
    await this.conversation(person, vacancy);
    return person;
  }

  /** Another interview of that person, for this vacancy. */
  async conversation(person: Person, vacancy: Vacancy): Promise<TurnCandidate> {
    const { app } = this;
    const secrets = invitationSecrets();
    const { id } = await app.commit(async (tx) => {
      const { candidateId } = person;
      const invitations = app.get(InvitationRepository);
      const wanted = { vacancyId: vacancy.id, candidateId, secrets };
      const invitation = await invitations.issue(tx, wanted);
      const begun = { state: 'ok', kind: 'personal', vacancy, invitation } as const;
      const conversation = await app.get(InterviewStart).begin(tx, begun);
      const consent = { version: DISCLOSURE_VERSION, accepted: true };
      await app.get(InterviewService).consent(tx, conversation.id, consent);
      await app.get(WebSessionRepository).create(tx, conversation.id);
      person.invitations.push(begun);
      return conversation;
    });
    const note = (text: string): unknown => person.needles.push(text);
    const candidate = new TurnCandidate(this.app, id, note);
    person.conversations.push(candidate);
    person.needles.push(id);
    return candidate;
  }

  /** Stores a message on Telegram, whose sends the test controls, and its chat if there is none. */
  async onChannel(
    person: Person,
    candidate: TurnCandidate,
    text = this.words(person, 'on the channel'),
  ): Promise<{ externalId: string; text: string }> {
    if (!this.channel.chats.has(candidate.id)) {
      this.channel.chats.set(candidate.id, this.words(person, 'chat'));
    }
    const externalId = this.words(person, 'id');
    const message = {
      conversationId: candidate.id,
      channel: 'telegram',
      externalId,
      text,
    } as const;
    await this.app.commit((tx) => this.app.get(BufferService).append(tx, message));
    return { externalId, text };
  }

  async edit(candidate: TurnCandidate, externalId: string, text: string): Promise<string> {
    const edited = { conversationId: candidate.id, channel: 'telegram', externalId, text } as const;
    return this.app.commit((tx) => this.app.get(BufferService).edit(tx, edited));
  }

  /** Works until nothing of this conversation is running or due soon. */
  async work(): Promise<void> {
    pause(this.app, 10_000);
    await live(this.app, 4000);
  }

  /**
   * An interview with everything in it: replies that quote, a search, an edit, an amendment, a
   * stopped reply, deliveries that arrive and one that does not, a person asked for, and at last
   * messages that still wait.
   */
  async liveThrough(person: Person, candidate: TurnCandidate): Promise<void> {
    const { app, channel } = this;
    app.model.next(replyWith('answered', `You said: ${this.words(person, 'quoted')}`));
    await candidate.answer(this.words(person, 'plain'));
    app.model.next(callSearch(this.words(person, 'early shift')));
    app.model.next(fromPassage(this.words(person, 'from the documents')));
    await candidate.answer(this.words(person, 'When does the early shift begin?'));
    await this.stopped(person, candidate);

    const { externalId } = await this.onChannel(person, candidate);
    await this.edit(candidate, externalId, this.words(person, 'edited'));
    await this.work();
    await this.edit(candidate, externalId, this.words(person, 'amended'));
    await this.work();
    channel.next({ kind: 'refused', error: 'refused' });
    await this.onChannel(person, candidate);
    await this.work();
    await candidate.askForPerson();
    await candidate.say(this.words(person, 'still waits'));
  }

  private async stopped(person: Person, candidate: TurnCandidate): Promise<void> {
    const half = this.words(person, 'half');
    const content = `{"verdict":"answered","text":"${half}`;
    this.app.model.next({ kind: 'hold', content, rest: ' and the rest."}' });
    await candidate.start(this.app, this.words(person, 'stopped'));
    await until(() => visible(this.app, candidate.id) === half);
    await candidate.stop();
    await settled(this.app);
    this.app.model.release();
  }

  /** With a document that answers what is asked in `liveThrough`. */
  async secondVacancy(): Promise<Vacancy> {
    const { app } = this;
    const { vacancy } = await app.commit((tx) =>
      app.get(VacancyRepository).upsert(tx, vacancyDraft({ slug: 'second' })),
    );
    const document = documentOf({
      name: 'shifts.md',
      language: 'en',
      text: 'Shifts begin at four.',
    });
    await app.commit((tx) => app.get(KnowledgeRepository).replace(tx, vacancy.id, [document]));
    return vacancy;
  }

  /** The parsed file of the export: its times are text. */
  async export(person: Person): Promise<PersonalDataExport> {
    const { app } = this;
    const commit: PageCommit = (_label, work) => app.commit(work);
    const { pieces } = await app.get(PersonalDataService).exportOf(commit, person.candidateId);
    let json = '';
    for await (const piece of pieces) json += piece;
    return JSON.parse(json) as PersonalDataExport;
  }

  erase(person: Person, process = this.app): Promise<Erased> {
    return process.commit((tx) => process.get(PersonalDataService).erase(tx, person.candidateId));
  }

  tables(): Promise<{ name: string }[]> {
    return this.app.sql<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
  }

  /** Every row of every table, as PostgreSQL writes it. */
  async rows(): Promise<string[]> {
    const rows: string[] = [];
    for (const { name } of await this.tables()) {
      const found = await this.app.sql<{ row: string }>(
        `select t::text as row from ${name} t order by 1`,
      );
      rows.push(...found.map(({ row }) => `${name} ${row}`));
    }
    return rows;
  }

  /** What is left of the person, by table. */
  async leftOf(person: Person): Promise<string[]> {
    const rows = await this.rows();
    return rows.filter((row) => person.needles.some((needle) => row.includes(needle)));
  }

  close(): Promise<void> {
    return closeInterviews(this.app);
  }
}
