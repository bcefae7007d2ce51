/** The search and the filters of the list. */
import { Select } from '@mantine/core';
import { SearchField } from '../shell/search-field';
import type { Titles } from '../vacancies';
import { STATES } from './filters';
import type { Filters } from './filters';
import { useInvitationTexts } from './texts';

interface FilterBarProps {
  filters: Filters;
  titles: Titles;
  choose: (change: Partial<Filters>) => void;
}

export function FilterBar({ filters, titles, choose }: FilterBarProps) {
  const texts = useInvitationTexts();
  const vacancies = [...titles].map(([value, label]) => ({ value, label }));
  const { vacancy } = filters;
  if (vacancy !== null && !titles.has(vacancy)) vacancies.push({ value: vacancy, label: vacancy });
  return (
    <div className="filters" role="search" aria-label={texts.filters}>
      <SearchField
        label={texts.search}
        text={filters.text}
        onText={(text) => choose({ text })}
        onDown={() =>
          document.querySelector<HTMLElement>('.table[data-stale="false"] .row-stop')?.focus()
        }
      />
      <Select
        className="filter"
        aria-label={texts.state}
        placeholder={texts.anyState}
        data={STATES.map((value) => ({ value, label: texts.states[value] }))}
        value={filters.state}
        clearable
        clearButtonProps={{ 'aria-label': texts.anyState }}
        onChange={(state) => choose({ state: STATES.find((one) => one === state) ?? null })}
      />
      <Select
        className="filter"
        aria-label={texts.vacancy}
        placeholder={texts.anyVacancy}
        data={vacancies}
        value={vacancy}
        searchable={vacancies.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': texts.anyVacancy }}
        nothingFoundMessage={texts.noVacancy}
        onChange={(chosen) => choose({ vacancy: chosen })}
      />
    </div>
  );
}
