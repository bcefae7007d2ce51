/** Every text of the console, once per language. */
import type { Language } from '../../src/api/wire';
import type { Interview, OwnSession, Role } from '../api/calls';
import type { ApiProblem } from '../api/problem';
import type { Weakness } from '../join/password';
import type { SchemeChoice } from '../look/scheme';
import { en } from './en';
import { ru } from './ru';

interface Titled {
  title: string;
  text: string;
}

/** A question before something is done, the button that does it, and what is said afterwards. */
export interface Asked {
  title: (name: string) => string;
  text: string;
  action: string;
  done: (name: string) => string;
}

export interface Shortcut {
  keys: readonly string[];
  /** One after the other; else any of them. */
  inOrder?: true;
  /** What one has to be allowed for it. */
  scope?: string;
  /** Of the page of the records. */
  isOfRecords?: true;
  text: string;
}

export interface Dictionary {
  language: { other: Language; switchTo: string };
  loading: string;
  close: string;
  cancel: string;
  /** A part of the page that could not be shown. */
  failed: Titled & { again: string };
  notFound: Titled;
  /** Why a request failed, and what to do. */
  problem: (problem: ApiProblem) => string;
  /** By the code that the server adds to the address. */
  singleSignOnProblem: (code: string) => string;
  weakness: Record<Weakness, string>;
  /** What the server would not take. */
  wrong: { name: string; email: string };
  roles: Record<Role, { name: string; text: string }>;

  fields: {
    name: string;
    email: string;
    password: string;
    newPassword: string;
    passwordNote: string;
    show: string;
  };
  signIn: {
    title: string;
    lead: (company: string | null) => string;
    missing: { email: string; password: string };
    action: string;
    busy: string;
    /** By single sign-on. */
    with: (provider: string) => string;
    or: string;
    forgotten: string;
    withToken: string;
  };
  signedIn: Titled & { open: string };
  join: {
    /** `by`: the colleague who made the link; null: it was made at the server. */
    invitation: { title: string; lead: (by: string | null) => string; action: string };
    password: { title: string; lead: (by: string | null) => string; action: string };
    vacancies: (titles: string) => string;
    missing: { name: string; email: string };
    unknown: Titled;
    ended: Titled;
  };
  /** Over a page whose request was refused. */
  gate: {
    ended: Titled;
    confirm: { title: string; text: string; oidc: string; action: string; wrong: string };
    /** Opens single sign-on. */
    window: string;
    /** The browser has not opened its window. */
    blocked: string;
  };

  shell: {
    skip: string;
    places: string;
    /** Opens the places for which a phone has no room. */
    more: string;
    menuOf: (name: string) => string;
    scheme: string;
    schemes: Record<SchemeChoice, string>;
    signOut: string;
    /** Asked before a sign-out that loses something. */
    unsaved: Titled;
  };
  /** The place of exports, the audit, erasures, retention and keys. */
  records: string;
  shortcuts: { title: string; then: string; or: string; rows: Shortcut[] };

  /** The name of a place. */
  inbox: { title: string; waiting: (count: number, isMore: boolean) => string };
  invitations: string;
  vacancies: { title: string };
  interviews: {
    title: string;
    filters: string;
    search: string;
    anyState: string;
    anyVacancy: string;
    noVacancy: string;
    clear: string;
    /** Leads to the list as a file. */
    export: string;
    name: string;
    nameless: string;
    vacancy: string;
    state: string;
    states: Record<Interview['state'], string>;
    progress: string;
    notBegun: string;
    at: (question: number, of: number) => string;
    endedAt: (question: number, of: number) => string;
    answered: (answered: number, of: number) => string;
    shown: (count: number, hasMore: boolean) => string;
    empty: Titled;
    nothing: Titled;
  };

  people: {
    title: string;
    lead: string;
    colleagues: (count: number) => string;
    invitations: string;
    you: string;
    disabled: string;
    somebody: string;
    newPassword: string;
    role: string;
    vacancies: string;
    allVacancies: string;
    /** Somebody reaches none yet. */
    noVacancies: string;
    vacanciesNeeded: string;
    vacanciesOptional: string;
    chooseVacancies: string;
    noVacancy: string;
    /** There are no vacancies. */
    noneToChoose: string;
    neverHere: string;
    /** Before a moment. */
    signedIn: string;
    sessions: (count: number) => string;
    invitedBy: (name: string) => string;
    madeAtServer: string;
    /** Before a moment. */
    until: string;
    actionsOf: (name: string) => string;
    invite: { open: string; title: string; name: string; email: string; action: string };
    change: {
      open: string;
      title: (name: string) => string;
      /** Of somebody whose role comes with the sign-in. */
      oidc: string;
      action: string;
      done: (name: string) => string;
    };
    link: {
      invitation: { title: string; text: (name: string | null) => string };
      password: { title: string; text: (name: string | null) => string };
      label: string;
      once: string;
      copy: string;
      copied: string;
      /** The browser has not copied it. */
      refused: string;
      close: string;
    };
    passwordLink: string;
    endSessions: Asked;
    disable: Asked;
    enable: Asked;
    revoke: { title: (name: string) => string; text: string; action: string; done: string };
  };

  account: {
    title: string;
    sessions: {
      title: string;
      current: string;
      unknownDevice: string;
      /** Before moments. */
      since: string;
      seen: string;
      methods: Record<OwnSession['method'], string>;
      one: { title: (device: string) => string; text: string; action: string; done: string };
      others: { title: string; text: string; action: string; done: string };
    };
    password: {
      title: string;
      current: string;
      missing: string;
      action: string;
      done: string;
      elsewhere: string;
    };
  };
}

export const dictionaries: Record<Language, Dictionary> = { en, ru };
