import {
  ABOUT_WORDS,
  ACKNOWLEDGED,
  ADDRESSED,
  ANCHORED,
  ANNOUNCES,
  BESIDE,
  BY_CANDIDATE,
  CONFIRMATION,
  DEFINES,
  ENOUGH,
  FIRST_PERSON,
  GOES_ON,
  HERE,
  HOW_MUCH,
  I_WOULD,
  IN_THE_JOB,
  INTERROGATIVE,
  MY_PART,
  OF_WHAT_YOU_WOULD,
  OURS,
  OWN_TEAM,
  PROMISES,
  REASONS,
  REPORTED,
  REQUEST,
  RHETORICAL,
  SUPPOSED,
  SUPPOSES,
  TAKES_UP,
  TALK,
  TEAM,
  THANKED,
  WOULD,
  YOU,
  YOU_DID,
  YOU_MAY,
} from './job-words';
import {
  type Clause,
  clauseOf,
  clausesOf,
  type Condition,
  hasClaims,
  hasCondition,
  hasWordsOf,
  hasNumber,
  isSame,
  type NumberOfClause,
  type Phrase,
  rootOf,
  sharedOf,
  sharedStems,
  sizeOf,
  withoutStems,
  wordsOf,
} from './clauses';
import { isQuestion, sentencesOf } from './sentences';
import type { Verdict } from '../plan/verdicts';

/** What a reply may rest on. */
export interface Evidence {
  /** Texts of the plan. */
  readonly plan: readonly string[];
  /** Facts that a person of the team has written. */
  readonly team?: readonly string[];
  /** The passages and facts that the model names; empty if it names none. */
  readonly named: readonly string[];
  /** The model names a source that exists, be it only the interview itself. */
  readonly isGrounded: boolean;
  /** The name of the company. */
  readonly company: string;
  /** What the candidate wrote: evidence for remarks about their own words, never for the company. */
  readonly said: readonly string[];
  /** The answer that is replied to. */
  readonly answer: string;
  /** Whether it asks something of the company, by the model; null: the model does not say. */
  readonly asks: boolean | null;
  /** The questions of the plan: a clarification speaks of them. */
  readonly questions: readonly string[];
  readonly verdict: Verdict;
}

/** Under these the candidate has told something, and the past is theirs. */
const STORIES: readonly Verdict[] = ['answered', 'vague', 'follow_up', 'addition', 'correction'];

/**
 * Finds sentences that state something about the company, the job or the process without evidence. A remark on the
 * candidate's own words, a question to them and what only leads on state nothing of the kind. It judges by words,
 * clause by clause, in English and Russian; it cannot tell whether a sentence is true.
 */
export class StatementCheck {
  private readonly plan: readonly Clause[];
  private readonly named: Clause | null;
  private readonly told: Clause;
  /** What a clarification may be about: the plan's questions and the candidate's. */
  private readonly meant: readonly Clause[];
  /** The beginnings of its name's words. */
  private readonly company: readonly string[];
  /** What the candidate asks, and what of it the company. */
  private readonly questions: readonly Clause[];
  private readonly asked: readonly Clause[];
  private readonly isClarifying: boolean;
  private readonly hasStory: boolean;

  constructor(private readonly evidence: Evidence) {
    const { plan, team = [] } = evidence;
    this.plan = [...plan.flatMap(clausesOfPlan), ...team.flatMap(sentencesOf).map(clauseOf)];
    this.named = evidence.named.length === 0 ? null : clauseOf(evidence.named.join('\n'));
    this.company = wordsOf(evidence.company).map(rootOf);
    this.told = clauseOf(evidence.said.flatMap(sentencesOf).filter(isOwnWord).join('\n'));
    this.isClarifying = evidence.verdict === 'clarify';
    this.hasStory = STORIES.includes(evidence.verdict);
    const sentences = sentencesOf(evidence.answer);
    const asking = sentences.filter((one) => !isOwnWord(one));
    this.questions = asking.map(clauseOf);
    this.meant = this.isClarifying ? [...evidence.questions.map(clauseOf), ...this.questions] : [];
    const last = sentences.at(-1) === asking.at(-1) ? this.questions.at(-1) : undefined;
    this.asked = this.questions.filter((one) => this.isToCompany(one, one === last));
  }

  /** The sentence states something of the job that no evidence has. */
  isUnproven(sentence: string, clauses = clausesOf(sentence)): boolean {
    const asks = isOnlyAsking(sentence, clauses);
    const isOfStory = clauses.some(
      (clause) => sharedOf(clause, this.told) > 0 || (clause.isPast && YOU_DID.test(clause.words)),
    );
    const isExplaining =
      this.isClarifying &&
      clauses.some((one) => ANCHORED.test(one.words) && this.isAllowed(one, asks));
    return !clauses.every(
      (one) =>
        this.isAllowed(one, asks) ||
        (isOfStory && isMere(one)) ||
        (isExplaining && this.isExplanation(one, asks)),
    );
  }

  /** The sentence replies to something that the candidate asks. */
  repliesToQuestion(sentence: string): boolean {
    return clausesOf(sentence).some(
      (clause) =>
        (CONFIRMATION.test(clause.words) && this.questions.length > 0) ||
        this.questions.some((asked) => sharedOf(clause, asked) > 0) ||
        this.asked.length > 0,
    );
  }

  private isAllowed(clause: Clause, isInQuestion: boolean): boolean {
    const { words, isPast } = clause;
    if (CONFIRMATION.test(words)) return this.mayConfirm();
    switch (this.kindOf(clause, isInQuestion)) {
      case 'company':
        return this.isProven(clause);
      case 'job':
        return this.isToldInPart(clause) || this.isProven(clause);
      case 'question':
        return (
          !this.isOurs(clause) || (isInQuestion && !hasClaims(clause)) || this.isProven(clause)
        );
      case 'team':
        return this.isOfCandidate(clause) || this.isProven(clause);
      case 'candidate':
        return (
          (isPast && (!clause.isPresent || this.isClarifying)) ||
          this.isOwn(clause) ||
          this.isProven(clause)
        );
      case 'other':
        return this.isRemark(clause) || this.isProven(clause);
    }
  }

  private kindOf(
    clause: Clause,
    isInQuestion: boolean,
  ): 'company' | 'job' | 'question' | 'team' | 'candidate' | 'other' {
    const { words } = clause;
    if (REQUEST.test(words) || (isInQuestion && INTERROGATIVE.test(words))) return 'question';
    if (PROMISES.test(words) || this.isOurs(clause)) return 'company';
    if (IN_THE_JOB.test(words)) return 'job';
    if ((!isInQuestion || REASONS.test(words)) && this.isOffer(clause)) return 'job';
    if (isInQuestion && !hasClaims(clause)) return 'question';
    if (TEAM.test(words) && !this.isTask(clause) && !FIRST_PERSON.test(words)) return 'team';
    if (isInQuestion && !(clause.isPresent && clause.conditions.length > 0)) return 'question';
    return YOU.test(words) && !REPORTED.test(words) ? 'candidate' : 'other';
  }

  private isNamed(words: string): boolean {
    const { company } = this;
    return company.length > 0 && company.every((root) => words.includes(` ${root}`));
  }

  private isOurs(clause: Clause): boolean {
    const { words } = clause;
    return this.isNamed(words) || this.isHere(clause) || OURS.test(words.replace(TALK, ' '));
  }

  /** In a clarification, "here" is mostly the question. */
  private isHere(clause: Clause): boolean {
    const { words, isPast } = clause;
    if (!HERE.test(words) || isPast || ACKNOWLEDGED.test(words)) return false;
    return !this.isTask(clause, true) && (hasClaims(clause) || !MY_PART.test(words));
  }

  /** Words of a clarification that claim nothing. */
  private isTask(clause: Clause, mayBePresent = false): boolean {
    return this.isClarifying && !hasClaims(clause) && (mayBePresent || !clause.isPresent);
  }

  /** What the candidate will, would or may do: of the job, unless they said the like of themselves. */
  private isOffer(clause: Clause): boolean {
    const { words, conditions } = clause;
    const isOfTold = sharedOf(clause, this.told) > 0 && this.isKnown(clause);
    const isSaidAlike = isOfTold && I_WOULD.test(this.told.words);
    if (isSaidAlike || SUPPOSES.test(words)) return false;
    if (this.isTask(clause, true) && OF_WHAT_YOU_WOULD.test(words)) return false;
    if (WOULD.test(words)) return true;
    const isNew = !this.isKnown(clause) || !conditions.every((one) => this.isConditionTold(one));
    return YOU_MAY.test(words) && (this.hasStory || isNew);
  }

  /** Beside a clause about the question: a case to imagine, and no reason. */
  private isExplanation(clause: Clause, isInQuestion: boolean): boolean {
    const { words, conditions, days, isPast } = clause;
    if (REASONS.test(words) || conditions.length + days.length > 0) return false;
    const kind = this.kindOf(clause, isInQuestion);
    if (isPast) return kind === 'team' || (kind === 'other' && !this.isOfJob(clause));
    return kind === 'other' && this.isKnown(clause);
  }

  /** Of a team or a company that may be the candidate's own: of the past, only acknowledged, or told before. */
  private isOfCandidate(clause: Clause): boolean {
    const { words, isPast } = clause;
    if (isPast && YOU_DID.test(words)) return true;
    if (!this.isKnown(clause) || this.isAnswer(clause)) return false;
    const isTold = isPast && !YOU.test(words) && sharedOf(clause, this.told) > 0;
    const isOwn = isTold || OWN_TEAM.test(words);
    return isOwn || ACKNOWLEDGED.test(words) || this.isToldInPart(clause);
  }

  private isOwn(clause: Clause): boolean {
    if (THANKED.test(clause.words) && !this.isOfJob(clause)) return true;
    return this.isKnown(clause) && !this.isAnswer(clause);
  }

  private isOfJob({ numbers }: Clause): boolean {
    return numbers.some(({ isOfJob }) => isOfJob);
  }

  private isRemark(clause: Clause): boolean {
    const { words, isPast, conditions, days, isPresent } = clause;
    if (this.asked.length > 0) return this.isAside(clause);
    if (THANKED.test(words)) return !this.isOfJob(clause) || this.isKnown(clause);
    const hasConditions = conditions.length + days.length > 0;
    const isNumber = this.isOfJob(clause) && !ACKNOWLEDGED.test(words);
    if ((hasConditions || isNumber) && !isPast && !this.isKnown(clause)) return false;
    const isPlain = ACKNOWLEDGED.test(words) || ANCHORED.test(words) || TALK.test(words);
    const isTold = conditions.every((one) => this.isConditionTold(one));
    const isNew = isPresent || !(isTold || this.isClarifying);
    const isClaim = conditions.length > 0 && !SUPPOSES.test(words);
    const isStating = isClaim && !isPlain && !isPast && isNew;
    return isStating ? this.isToldInPart(clause) : this.isAnchored(clause);
  }

  /** Behind a question to the company, what is neither told nor acknowledged is the reply to it. */
  private isAside(clause: Clause): boolean {
    const { words } = clause;
    const isTalk = ACKNOWLEDGED.test(words) || ANCHORED.test(words) || TALK.test(words);
    return (sizeOf(clause) === 0 || isTalk || this.isToldInPart(clause)) && this.isKnown(clause);
  }

  /** It may reply to a question that the candidate asks the company. */
  private isAnswer(clause: Clause): boolean {
    return this.asked.some((one) => sharedStems(clause, one) > 0);
  }

  /** It takes up what the candidate wrote, or what the question is about. */
  private isAnchored(clause: Clause): boolean {
    const { words, stems, names, isPast, isPresent, isPredicate } = clause;
    const isWordless = !isPresent && !isPast && !isPredicate;
    const isKnown = this.isKnown(clause);
    const isShort = sizeOf(clause) < (isWordless ? 3 : 2) && names.length === 0 && isKnown;
    if (isShort || this.isTakenUp(clause)) return true;
    const isTelling = names.length === 0 && !BESIDE.test(words);
    const isOfPast = this.hasStory && isPast;
    const mayTell = isOfPast || (isWordless && isKnown);
    // In another language, none of the candidate's words can be found.
    const isOtherLanguage = this.told.stems.size > 0 && this.told.isRussian !== clause.isRussian;
    const isFree = !this.hasStory || stems.size <= FEW || isOtherLanguage;
    if (isTelling && mayTell && isFree) return true;
    if (TAKES_UP.test(words) || this.isTalk(clause)) return true;
    if (isPast && BY_CANDIDATE.test(words)) return true;
    if (!this.isClarifying || HERE.test(words) || !isKnown) return false;
    if (ENOUGH.test(words) || DEFINES.test(words)) return true;
    return isWordless || this.meant.some((one) => this.isOfQuestion(clause, one));
  }

  /** What is said of now needs more of the candidate's words than one. */
  private isTakenUp(clause: Clause): boolean {
    const shared = sharedOf(clause, this.told);
    if (!clause.isPresent && !clause.isPredicate) return shared > 0;
    const isMoreThanNumber = shared > 1 || sharedStems(clause, this.told) > 0;
    return isMoreThanNumber && shared * 5 >= sizeOf(clause) * 2;
  }

  /** About the question or the answer; what is said of them now, with many new words, is how they are dealt with. */
  private isTalk(clause: Clause): boolean {
    const { words, stems, isPresent } = clause;
    if (ACKNOWLEDGED.test(words) || TALK.test(words)) return true;
    if (!ANCHORED.test(words)) return false;
    const areFew = stems.size - sharedOf(clause, this.told) <= FEW;
    return !isPresent || areFew || FIRST_PERSON.test(words) || ENOUGH.test(words);
  }

  private isOfQuestion(clause: Clause, question: Clause): boolean {
    const shared = sharedStems(clause, question);
    return shared > 0 && ((!clause.isPresent && !clause.isPast) || shared * 2 >= sizeOf(clause));
  }

  /** Each number and condition stands in the evidence, or the candidate told it. */
  private isKnown(clause: Clause): boolean {
    return (
      clause.numbers.every((one) => this.isNumberTold(one) || this.isNumberProven(one, clause)) &&
      clause.conditions.every(
        (one) => this.isConditionTold(one) || this.sources.some((of) => hasCondition(of, one)),
      ) &&
      clause.days.every((one) => this.told.days.includes(one) || this.isDayProven(one))
    );
  }

  private isDayProven(day: string): boolean {
    return this.named?.days.includes(day) === true;
  }

  private get sources(): readonly Clause[] {
    return this.named === null ? this.plan : [...this.plan, this.named];
  }

  private isConditionTold(condition: Condition): boolean {
    return hasCondition(this.told, condition) || hasWordsOf(this.told, condition);
  }

  /** Who writes "85" of a salary may hear of 85,000. */
  private isNumberTold(number: NumberOfClause): boolean {
    const short = { ...number, values: number.values.map((value) => value / 1000) };
    if (hasNumber(this.told, number) || hasNumber(this.told, short)) return true;
    return (
      this.isClarifying &&
      this.asked.length === 0 &&
      this.meant.some((one) => hasNumber(one, number))
    );
  }

  /** A plan has many numbers: it proves a small one only beside what it counts there. */
  private isNumberProven(number: NumberOfClause, clause: Clause): boolean {
    if (this.named !== null && hasNumber(this.named, number)) return true;
    const around = [clause, ...this.asked];
    return this.plan.some((one) => {
      const same = one.numbers.filter((other) => isSame(other, number));
      if (same.length === 0) return false;
      if (one.isRussian !== clause.isRussian) return true;
      if (!around.some((of) => sharedStems(of, one) > 0)) return false;
      return same.some(
        ({ counted, values }) =>
          Math.max(...values) >= LARGE ||
          counted.length === 0 ||
          counted.some((stem) => around.some(({ stems }) => stems.has(stem))),
      );
    });
  }

  /** Half of its words are the candidate's. */
  private isToldInPart(clause: Clause): boolean {
    const shared = sharedOf(clause, this.told);
    const areNamesTold = clause.names.every((one) => this.told.stems.has(one));
    return this.isKnown(clause) && areNamesTold && shared > 0 && shared * 2 >= sizeOf(clause);
  }

  /** The evidence holds what the clause says, as far as words can show it. */
  private isProven(clause: Clause): boolean {
    const { sources, named, plan } = this;
    const own = withoutStems(clause, this.company);
    // Of a translation only the claims can be found.
    const isTranslated = named !== null && named.isRussian !== clause.isRussian;
    const areKnown =
      clause.numbers.every((one) => this.isNumberProven(one, clause)) &&
      clause.conditions.every((one) => sources.some((of) => hasCondition(of, one))) &&
      clause.days.every((one) => sources.some(({ days }) => days.includes(one))) &&
      (isTranslated || clause.names.every((one) => sources.some(({ stems }) => stems.has(one))));
    if (!areKnown) return false;
    const isNamed = named !== null && (sizeOf(own) === 0 || sharedOf(own, named) > 0);
    if (isNamed || isTranslated) return true;
    return plan.some((one) => {
      const shared = sharedOf(own, one);
      if (one.isRussian !== clause.isRussian) return shared > 0;
      return shared >= 2 && shared * 3 >= sizeOf(own) * 2;
    });
  }

  /** "Yes" says what the candidate asked. */
  private mayConfirm(): boolean {
    const { asks, isGrounded } = this.evidence;
    const mayReply = isGrounded || asks !== true;
    return mayReply && this.asked.every((one) => this.isProven(one));
  }

  /** A question that the candidate answers themselves is not the last sentence. */
  private isToCompany(question: Clause, isLast: boolean): boolean {
    const { words, conditions, isPast } = question;
    const { verdict, asks, isGrounded } = this.evidence;
    const isOfCompany = (conditions.length > 0 && !isPast) || this.isNamed(words);
    // A question about the question addresses the interviewer too.
    const isToInterviewer = this.isClarifying || verdict === 'off_topic';
    if (isToInterviewer && asks !== true) {
      return !ABOUT_WORDS.test(words) && (isOfCompany || TEAM.test(words));
    }
    if (isOfCompany || this.isOfJob(question)) return true;
    if (ABOUT_WORDS.test(words)) return false;
    const isAddressed = HOW_MUCH.test(words) || ADDRESSED.test(words);
    // A model that says that nothing is asked is believed, except of a plain question at the end.
    if (asks === false) return isAddressed && isLast && INTERROGATIVE.test(words);
    return isAddressed || (isLast && !isPast && !isGrounded && !RHETORICAL.test(words));
  }
}

/** Plan texts whose clauses are kept, of all vacancies whose interviews run now. */
const MOST_TEXTS = 2000;
const ofPlans = new Map<string, readonly Clause[]>();

/** The same clauses for each reply: those of a plan would be a third of what a reply keeps in memory. */
function clausesOfPlan(text: string): readonly Clause[] {
  const known = ofPlans.get(text);
  if (known !== undefined) return known;
  const clauses = sentencesOf(text).map(clauseOf);
  const [oldest] = ofPlans.keys();
  if (oldest !== undefined && ofPlans.size >= MOST_TEXTS) ofPlans.delete(oldest);
  ofPlans.set(text, clauses);
  return clauses;
}

/** What tells no more than the rest of its sentence: of the past, without a verb or brief, and without a claim. */
function isMere(clause: Clause): boolean {
  const { isPast, isPresent, isPredicate, words } = clause;
  if (hasClaims(clause) || OURS.test(words) || PROMISES.test(words)) return false;
  if (isPast) return true;
  if (TEAM.test(words)) return false;
  return !(isPresent || isPredicate) || (GOES_ON.test(words) && sizeOf(clause) <= FEW);
}

/** Words that carry meaning. */
const FEW = 2;

/** Numbers from here on are hardly ever the same by chance. */
const LARGE = 1000;

/** Some part of the sentence asks the candidate something, by its form or its mark. */
export function asksSomething(sentence: string, clauses = clausesOf(sentence)): boolean {
  return isQuestion(sentence) || clauses.some(({ words }) => REQUEST.test(words));
}

/** The sentence is a question, or begins by telling the candidate what to say. */
export function isOnlyAsking(sentence: string, clauses = clausesOf(sentence)): boolean {
  const [first] = clauses;
  return isQuestion(sentence) || (first !== undefined && REQUEST.test(first.words));
}

/**
 * Whether the sentence asks for what `coming` asks, or leads to it. `known`: what the candidate wrote, which an
 * acknowledgement may repeat.
 */
export function resembles({ words, stems }: Phrase, coming: Phrase, known: Phrase): boolean {
  const own = [...stems].filter((stem) => !known.stems.has(stem));
  const shared = own.filter((stem) => coming.stems.has(stem)).length;
  return ANNOUNCES.test(words) ? shared > 0 : shared >= 2 && shared * 2 >= own.length;
}

/**
 * A sentence of the candidate about themselves. One that asks, or says how the job is ("So the salary is
 * 5,000"), proves nothing.
 */
function isOwnWord(sentence: string): boolean {
  if (isQuestion(sentence)) return false;
  const { words, conditions, isPast } = clauseOf(sentence);
  const isOfJob = conditions.length > 0 && SUPPOSED.test(words);
  return !isOfJob || isPast || FIRST_PERSON.test(words);
}
