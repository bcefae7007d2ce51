/** The words of the vacancies' pages. */
import type { Language } from '../../src/api/wire';
import { useLanguage } from '../language';
import { en } from './en';
import { ru } from './ru';

interface Asked {
  title: (name: string) => string;
  action: string;
  done: string;
}

export interface VacanciesTexts {
  title: string;
  lead: string;
  add: string;
  empty: { title: string; text: string };
  closed: string;
  draft: string;
  counts: {
    running: (count: number) => string;
    waiting: (count: number) => string;
    finished: (count: number) => string;
    none: string;
  };
  questions: (count: number) => string;
  actionsOf: (title: string) => string;
  invite: string;
  inviteTo: (title: string) => string;
  newDraft: { title: string; text: string };
  link: {
    open: string;
    title: (title: string) => string;
    text: string;
    closed: string;
    label: string;
    copy: string;
    copied: string;
    refused: string;
    done: string;
  };
  close: Asked & { text: (running: number | null) => string };
  reopen: Asked & { text: string };
  fromExample: {
    title: string;
    text: string;
    slug: string;
    slugNote: string;
    slugWrong: string;
    action: string;
    goOn: string;
    languages: Record<Language, string>;
  };
  page: {
    back: string;
    newTitle: string;
    file: string;
    loading: string;
    failed: string;
    how: string;
    readOnly: string;
    comments: string;
    save: string;
    create: string;
    saving: string;
    saved: string;
    created: string;
    unsaved: string;
    notKept: string;
    putAside: string;
    putAsideDone: string;
    noRoom: string;
    aside: string;
    bringBack: string;
    dropAside: string;
  };
  check: {
    title: (count: number) => string;
    none: string;
    checking: string;
    line: (line: number) => string;
    notChecked: string;
  };
  plan: {
    title: string;
    waiting: string;
    stale: string;
    language: string;
    languages: Record<Language, string>;
    about: (questions: number, minutes: number) => string;
    replyWithin: (days: number) => string;
    noReply: string;
    greeting: string;
    closing: string;
    mustAsk: string;
    knockout: string;
    notScored: string;
    lookFor: string;
    anchors: string;
    followUps: (count: number) => string;
  };
  preview: {
    open: string;
    title: string;
    text: string;
    unsaved: string;
    action: string;
    blocked: string;
  };
  files: {
    title: string;
    lead: string;
    documents: string;
    none: string;
    passages: (count: number) => string;
    add: string;
    added: (name: string) => string;
    remove: Asked & { text: string; name: (name: string) => string };
    logo: string;
    logoOf: (company: string) => string;
    noLogo: string;
    putLogo: string;
    logoPut: string;
    removeLogo: Omit<Asked, 'title'> & { title: string; text: string };
    saveFirst: string;
  };
  versions: {
    title: string;
    lead: string;
    current: string;
    before: string;
    commandLine: string;
    key: (name: string) => string;
    somebody: string;
    show: string;
    showOf: (when: string) => string;
    changes: (when: string) => string;
    first: string;
    use: string;
    used: string;
    close: string;
  };
  difference: {
    label: string;
    added: string;
    removed: string;
    skipped: (count: number) => string;
    none: string;
  };
  conflict: {
    notice: (who: string | null) => string;
    compare: string;
    title: string;
    text: string;
    mine: string;
    theirs: string;
    mineKept: string;
    theirsShown: string;
  };
  search: Record<string, string>;
  problems: Record<string, string>;
}

const TEXTS: Readonly<Record<Language, VacanciesTexts>> = { en, ru };

export function useVacanciesTexts(): VacanciesTexts {
  return TEXTS[useLanguage().language];
}
