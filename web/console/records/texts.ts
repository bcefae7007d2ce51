/** The texts of the records, once per language. */
import type { Language } from '../../src/api/wire';
import { useLanguage } from '../language';
import type { AuditEvent, CandidateInFull, Key, Retention, Scope } from './calls';
import { en } from './en';
import { ru } from './ru';
import type { Tab } from './tabs';

interface Asked {
  title: string;
  text: string;
  action: string;
}

interface Formats {
  csv: string;
  json: string;
}

export interface RecordsTexts {
  tabs: Record<Tab, string>;
  parts: string;
  saved: string;
  /** Problems that only these pages know; null: the shell's words. */
  /** By the problem's code. */
  problems: Readonly<Record<string, string>>;
  more: string;
  audit: {
    lead: string;
    filters: string;
    anyone: string;
    anything: string;
    from: string;
    to: string;
    about: string;
    clear: string;
    at: string;
    who: string;
    what: string;
    whom: string;
    actions: Readonly<Record<string, string>>;
    /** Who is no colleague, by the name in the audit. */
    actors: Readonly<Record<string, string>>;
    key: (name: string) => string;
    kinds: Record<NonNullable<AuditEvent['subject']>['kind'], string>;
    erased: string;
    nameless: string;
    shown: (count: number, hasMore: boolean) => string;
    nothing: { title: string; text: string };
    file: string;
    formats: Formats;
  };
  candidates: {
    lead: string;
    search: string;
    nameless: string;
    held: string;
    noInterview: string;
    empty: { title: string; text: string };
    nothing: { title: string; text: string };
    actionsOf: (name: string) => string;
    inAudit: string;
    export: Asked & { open: string };
    erase: {
      open: string;
      title: (name: string) => string;
      lead: string;
      stored: Record<keyof CandidateInFull['stored'], (count: number) => string>;
      stays: string;
      /** Between the hold's moment and its reason. */
      hold: (by: string, moment: string, reason: string) => string;
      kept: (days: number) => string;
      type: (word: string) => string;
      /** Typed where there is no name. */
      word: string;
      action: string;
      done: string;
    };
  };
  exports: {
    lead: string;
    state: string;
    vacancy: string;
    text: string;
    from: string;
    to: string;
    format: string;
    formats: Formats;
    language: string;
    languages: Record<Language, string>;
    separator: string;
    separators: Record<'comma' | 'semicolon' | 'tab', string>;
    note: string;
    action: string;
    busy: string;
  };
  retention: {
    lead: string;
    class: string;
    kept: string;
    due: string;
    oldest: string;
    classes: Record<Retention['rules'][number]['class'], string>;
    days: (days: number) => string;
    untilErased: string;
    nothing: string;
    holds: (count: number) => string;
    /** Before a moment. */
    next: string;
    run: Asked & { done: (count: number) => string; hasMore: string };
    runNow: string;
  };
  keys: {
    lead: string;
    create: string;
    states: Record<Key['state'], string>;
    all: string;
    /** Before moments. */
    until: string;
    used: string;
    never: string;
    madeBy: (name: string) => string;
    empty: { title: string; text: string };
    actionsOf: (name: string) => string;
    form: {
      title: string;
      name: string;
      nameNote: string;
      nameWrong: string;
      scopes: string;
      scopesWrong: string;
      vacancies: string;
      vacanciesNote: string;
      end: string;
      endNote: string;
      endWrong: string;
      action: string;
    };
    scopes: Record<Scope, string>;
    token: {
      title: string;
      text: (name: string) => string;
      label: string;
      copy: string;
      copied: string;
      refused: string;
      close: string;
    };
    revoke: {
      open: string;
      title: (name: string) => string;
      text: string;
      action: string;
      done: string;
    };
  };
}

const TEXTS: Readonly<Record<Language, RecordsTexts>> = { en, ru };

export function useRecordsTexts(): RecordsTexts {
  return TEXTS[useLanguage().language];
}
