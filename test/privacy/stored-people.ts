import { randomUUID } from 'node:crypto';
import { CandidateRepository, WebSessionRepository } from '../../src/candidates';
import { BufferService } from '../../src/buffer';
import { type InviteLookup, InvitationRepository, type Vacancy } from '../../src/vacancies';
import {
  type ErasureReport,
  type PageCommit,
  PersonalDataService,
  type PersonalDataExport,
} from '../../src/privacy';
import { FakeChannel } from '../delivery/fake-channel';
import { callSearch, fromPassage, storeDocuments } from '../interview/knowledge-turns';
import { Interviewee } from '../interview/interviewee';
import { invitationSecrets } from '../support/invitations';
import { replyWith } from '../../tools/fake-model/model-server';
import { untilInProcess } from '../support/until';
import {
  startInterviews,
  closeInterviews,
  plugTelegram,
  pause,
  settled,
  live,
  visible,
  type InterviewOptions,
} from '../interview/interviews';
import { InterviewService, InterviewStart } from '../../src/interview';
import type { TestApp } from '../support/app';

type PersonalInvite = Extract<InviteLookup, { kind: 'personal' }>;

/** A person about whom something is stored, and everything that identifies them. */
export interface Person {
  readonly candidateId: string;
  readonly conversations: Interviewee[];
  /** One for each conversation, in the same order. */
  readonly invitations: PersonalInvite[];
  /** Ids, words, names and addresses that no row may hold after the erasure. */
  readonly needles: string[];
}

/** Interviews that store everything that the program can store about a person. */
export class StoredPeople {
  readonly channel = new FakeChannel();

  private constructor(readonly app: TestApp) {}

  static async open(options: InterviewOptions = {}): Promise<StoredPeople> {
    const app = await startInterviews(options);
    const people = new StoredPeople(app);
    plugTelegram(app).sender = people.channel;
    await storeDocuments(app, { 'shifts.md': 'The early shift begins at four.' });
    return people;
  }

  /** Words that occur nowhere else. */
  words(of: Person, about: string): string {
    // Without digits: a number in a reply needs a source.
    const unique = randomUUID().replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
    const words = `${about} ${unique}`;
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
  async conversation(person: Person, vacancy: Vacancy): Promise<Interviewee> {
    const { app } = this;
    const secrets = invitationSecrets();
    const { id } = await app.commit(async (tx) => {
      const { candidateId } = person;
      const invitations = app.get(InvitationRepository);
      const wanted = { vacancyId: vacancy.id, candidateId, secrets };
      const invitation = await invitations.issue(tx, wanted);
      const begun = { state: 'ok', kind: 'personal', vacancy, invitation } as const;
      const conversation = await app.get(InterviewStart).begin(tx, begun);
      const version = await app.get(InterviewStart).disclosureVersion(tx, vacancy.id);
      const consent = { version, accepted: true };
      await app.get(InterviewService).consent(tx, conversation.id, consent);
      await app.get(WebSessionRepository).create(tx, conversation.id);
      person.invitations.push(begun);
      return conversation;
    });
    const note = (text: string): unknown => person.needles.push(text);
    const candidate = new Interviewee(this.app, id, note);
    person.conversations.push(candidate);
    person.needles.push(id);
    return candidate;
  }

  /** Stores a message on Telegram, whose sends the test controls, and its chat if there is none. */
  async onChannel(
    person: Person,
    candidate: Interviewee,
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

  async edit(candidate: Interviewee, externalId: string, text: string): Promise<string> {
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
  async liveThrough(person: Person, candidate: Interviewee): Promise<void> {
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

  private async stopped(person: Person, candidate: Interviewee): Promise<void> {
    const half = `${this.words(person, 'half')}.`;
    const content = `{"verdict":"answered","text":"${half} A`;
    this.app.model.next({ kind: 'hold', content, rest: 'nd the rest."}' });
    await candidate.start(this.app, this.words(person, 'stopped'));
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(this.app, candidate.id) === half,
    );
    await candidate.stop();
    await settled(this.app);
    this.app.model.release();
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

  erase(person: Person, process = this.app): Promise<ErasureReport> {
    return process.commit((tx) => process.get(PersonalDataService).erase(tx, person.candidateId));
  }

  /** What is left of the person, by table. */
  leftOf(person: Person): Promise<string[]> {
    return this.app.rowsWith(person.needles);
  }

  close(): Promise<void> {
    return closeInterviews(this.app);
  }
}
