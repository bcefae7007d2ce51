/** Inviting one person or many, and following an import. What was typed on one tab stays while another is shown. */
import { useMemo, useState } from 'react';
import { Select } from '@mantine/core';
import { Link, useLocation, useSearch } from 'wouter';
import { Page } from '../shell/page';
import { useVacancies } from '../vacancies';
import type { Vacancy } from '../api/calls';
import { ImportView } from './many/import-view';
import { ManyForm } from './many/many-form';
import type { SentRows } from './many/correction';
import { OneForm } from './one-form';
import { INVITATIONS, NEW_INVITATION, importAt } from './places';
import { useInvitationTexts } from './texts';
import { useTexts } from '../language';
import './invitations.css';

export function NewInvitationPage() {
  const texts = useInvitationTexts();
  const { invitations } = useTexts();
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const batch = query.get('import');
  const isMany = query.get('mode') === 'many';
  const { vacancies, chosen, choose, problem, needed } = useChosenVacancy(query.get('vacancy'));
  /** What was sent in this page, by import. */
  const [sent, setSent] = useState<ReadonlyMap<string, SentRows>>(new Map());
  const at = (mode: 'one' | 'many'): string => {
    const next = new URLSearchParams(query);
    next.delete('import');
    if (mode === 'many') next.set('mode', 'many');
    else next.delete('mode');
    const search = next.toString();
    return search === '' ? NEW_INVITATION : `${NEW_INVITATION}?${search}`;
  };
  if (batch !== null) {
    return (
      <Page key="import" title={texts.import.title}>
        <ImportView
          key={batch}
          batch={batch}
          sent={sent.get(batch) ?? null}
          onCorrected={(rows) => setSent((before) => new Map(before).set(batch, rows))}
          moreHref={`${NEW_INVITATION}?mode=many`}
        />
      </Page>
    );
  }
  return (
    <Page key="new" title={texts.newTitle}>
      <nav className="tabs" aria-label={texts.newTitle}>
        <Link href={at('one')} replace className="tab" aria-current={isMany ? undefined : 'page'}>
          {texts.one.tab}
        </Link>
        <Link href={at('many')} replace className="tab" aria-current={isMany ? 'page' : undefined}>
          {texts.many.tab}
        </Link>
        <Link href={INVITATIONS} className="tab tab-back">
          {invitations}
        </Link>
      </nav>
      <VacancyField vacancies={vacancies} chosen={chosen} problem={problem} choose={choose} />
      <div hidden={isMany}>
        <OneForm slug={chosen} onNeeded={needed} />
      </div>
      <div hidden={!isMany}>
        <ManyForm
          slug={chosen}
          onNeeded={needed}
          onSent={(id, rows) => {
            if (rows !== null) setSent((before) => new Map(before).set(id, rows));
            navigate(importAt(id));
          }}
        />
      </div>
    </Page>
  );
}

/** The vacancy of both tabs: the one in the address, or the only one. */
function useChosenVacancy(named: string | null) {
  const texts = useInvitationTexts();
  const { vacancies } = useVacancies();
  const open = useMemo(() => vacancies.filter(({ state }) => state === 'open'), [vacancies]);
  const [picked, setPicked] = useState<string | null>(named);
  const [isMissing, setMissing] = useState(false);
  const [only, ...others] = open;
  const chosen = picked ?? (others.length === 0 ? (only?.slug ?? null) : null);
  const isClosed = vacancies.some(({ slug, state }) => slug === chosen && state === 'closed');
  const needed = isMissing && chosen === null ? texts.vacancyNeeded : null;
  const problem = isClosed ? texts.vacancyClosed : needed;
  return {
    ...{ vacancies, chosen, problem, choose: setPicked },
    /** Somebody wants to invite without a vacancy. */
    needed: () => {
      setMissing(true);
      document.querySelector<HTMLElement>('.vacancy-field input')?.focus();
    },
  };
}

interface VacancyFieldProps {
  vacancies: readonly Vacancy[];
  chosen: string | null;
  problem: string | null;
  choose: (slug: string | null) => void;
}

function VacancyField({ vacancies, chosen, problem, choose }: VacancyFieldProps) {
  const texts = useInvitationTexts();
  const data = vacancies.map(({ slug, title, state }) => ({
    value: slug,
    label: state === 'closed' ? `${title} (${texts.closed})` : title,
    disabled: state === 'closed',
  }));
  return (
    <Select
      className="vacancy-field"
      label={texts.vacancy}
      placeholder={texts.chooseVacancy}
      data={data}
      value={chosen}
      searchable={data.length > 8}
      allowDeselect={false}
      nothingFoundMessage={texts.noVacancy}
      error={problem}
      onChange={choose}
    />
  );
}
