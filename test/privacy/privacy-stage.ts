import { TestTelegram } from '../support/channels';
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
import type { InterviewProcess } from '../interview/interview-process';
import { callSearch, fromPassage, storeDocuments } from '../interview/knowledge-turns';
import { TurnCandidate } from '../interview/turn-candidate';
import { TurnFixture, type TurnFixtureOptions } from '../interview/turn-fixture';
import { invitationSecrets } from '../support/invitations';
import { vacancyDraft } from '../support/vacancies';
import { replyWith } from '../../tools/fake-model/model-server';
import { until } from '../support/model-calls';

type PersonalInvite = Extract<InviteLookup, { kind: 'personal' }>;

/** A person of whom something is stored, and everything that identifies them. */
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

  private constructor(readonly fixture: TurnFixture) {}

  static async open(options: TurnFixtureOptions = {}): Promise<PrivacyStage> {
    const fixture = await TurnFixture.open(options);
    const stage = new PrivacyStage(fixture);
    fixture.main.get(TestTelegram).sender = stage.channel;
    await storeDocuments(fixture, { 'shifts.md': 'The early shift begins at four.' });
    return stage;
  }

  get main(): InterviewProcess {
    return this.fixture.main;
  }

  /** Words that occur nowhere else. */
  words(of: Person, about: string): string {
    const words = `${about} ${randomUUID()}`;
    of.needles.push(words);
    return words;
  }

  /** Invited by name, agreed, known, and asked the first question. */
  async person(vacancy: Vacancy = this.fixture.vacancy): Promise<Person> {
    const [name, contact] = [`Ada ${randomUUID()}`, `ada-${randomUUID()}@example.org`];
    const telegramUsername = `ada_${randomUUID().slice(0, 8)}`;
    const { id: candidateId } = await this.main.commit((tx) =>
      this.main.get(CandidateRepository).create(tx, { name, contact, telegramUsername }),
    );
    const needles = [name, contact, telegramUsername, candidateId];
    const person = { candidateId, conversations: [], invitations: [], needles };
    await this.conversation(person, vacancy);
    return person;
  }

  /** Another interview of that person, for this vacancy. */
  async conversation(person: Person, vacancy: Vacancy): Promise<TurnCandidate> {
    const { main } = this;
    const secrets = invitationSecrets();
    const { id } = await main.commit(async (tx) => {
      const { candidateId } = person;
      const invitations = main.get(InvitationRepository);
      const wanted = { vacancyId: vacancy.id, candidateId, secrets };
      const invitation = await invitations.issue(tx, wanted);
      const begun = { state: 'ok', kind: 'personal', vacancy, invitation } as const;
      const conversation = await main.interviews.begin(tx, begun);
      const consent = { version: DISCLOSURE_VERSION, accepted: true };
      await main.interviews.consent(tx, conversation.id, consent);
      await main.get(WebSessionRepository).create(tx, conversation.id);
      person.invitations.push(begun);
      return conversation;
    });
    const note = (text: string): unknown => person.needles.push(text);
    const candidate = new TurnCandidate(this.fixture, id, note);
    person.conversations.push(candidate);
    person.needles.push(id);
    return candidate;
  }

  /** A message on the channel that sends, and everything that follows from it. */
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
    await this.main.commit((tx) => this.main.get(BufferService).append(tx, message));
    return { externalId, text };
  }

  async edit(candidate: TurnCandidate, externalId: string, text: string): Promise<string> {
    const edited = { conversationId: candidate.id, channel: 'telegram', externalId, text } as const;
    return this.main.commit((tx) => this.main.get(BufferService).edit(tx, edited));
  }

  /** Works until nothing of this conversation is running or due soon. */
  async work(): Promise<void> {
    this.fixture.pause(10_000);
    await this.fixture.live(4000);
  }

  /**
   * An interview with everything in it: replies that quote, a search, an edit, an amendment, a
   * stopped reply, deliveries that arrive and one that does not, a person asked for, and at last
   * messages that still wait.
   */
  async liveThrough(person: Person, candidate: TurnCandidate): Promise<void> {
    const { fixture, channel, main } = this;
    fixture.model.next(replyWith('answered', `You said: ${this.words(person, 'quoted')}`));
    await candidate.answer(this.words(person, 'plain'));
    fixture.model.next(callSearch(this.words(person, 'early shift')));
    fixture.model.next(fromPassage(this.words(person, 'from the documents')));
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
    await candidate.askForPerson(main);
    await candidate.say(this.words(person, 'still waits'));
  }

  private async stopped(person: Person, candidate: TurnCandidate): Promise<void> {
    const half = this.words(person, 'half');
    const content = `{"verdict":"answered","text":"${half}`;
    this.fixture.model.next({ kind: 'hold', content, rest: ' and the rest."}' });
    await candidate.start(this.main, this.words(person, 'stopped'));
    await until(() => this.main.visible(candidate.id) === half);
    await candidate.stop();
    await this.main.settled();
    this.fixture.model.release();
  }

  /** With a document that answers what is asked in `liveThrough`. */
  async secondVacancy(): Promise<Vacancy> {
    const { main } = this;
    const { vacancy } = await main.commit((tx) =>
      main.get(VacancyRepository).upsert(tx, vacancyDraft({ slug: 'second' })),
    );
    const document = documentOf({
      name: 'shifts.md',
      language: 'en',
      text: 'Shifts begin at four.',
    });
    await main.commit((tx) => main.get(KnowledgeRepository).replace(tx, vacancy.id, [document]));
    return vacancy;
  }

  /** The parsed file of the export: its times are text. */
  async export(person: Person): Promise<PersonalDataExport> {
    const { main } = this;
    const commit: PageCommit = (_label, work) => main.commit(work);
    const { pieces } = await main.get(PersonalDataService).exportOf(commit, person.candidateId);
    let json = '';
    for await (const piece of pieces) json += piece;
    return JSON.parse(json) as PersonalDataExport;
  }

  erase(person: Person, process = this.main): Promise<Erased> {
    return process.commit((tx) => process.get(PersonalDataService).erase(tx, person.candidateId));
  }

  tables(): Promise<{ name: string }[]> {
    return this.fixture.sql<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
  }

  /** Every row of every table, as PostgreSQL writes it. */
  async rows(): Promise<string[]> {
    const rows: string[] = [];
    for (const { name } of await this.tables()) {
      const found = await this.fixture.sql<{ row: string }>(
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
    return this.fixture.close();
  }
}
