/** The vacancies that the signed-in person reaches, for names and choices. */
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { listVacancies } from './api/calls';
import type { Vacancy } from './api/calls';
import { useTexts } from './language';

/** By slug. Without them a page shows the slugs. */
export type Titles = ReadonlyMap<string, string>;

const NONE: readonly Vacancy[] = [];

export function useVacancies(): { vacancies: readonly Vacancy[]; titles: Titles } {
  const { data } = useQuery({ queryKey: ['vacancies'], queryFn: listVacancies, staleTime: 60_000 });
  const vacancies = data?.items ?? NONE;
  const titles = useMemo(
    () => new Map(vacancies.map(({ slug, title }) => [slug, title])),
    [vacancies],
  );
  return { vacancies, titles };
}

/** The vacancies that somebody reaches, in words; null: all. */
export type VacanciesInWords = (slugs: readonly string[] | null) => string;

export function useVacanciesInWords(): VacanciesInWords {
  const { people } = useTexts();
  const { titles } = useVacancies();
  return (slugs) => {
    if (slugs === null) return people.allVacancies;
    if (slugs.length === 0) return people.noVacancies;
    return slugs.map((slug) => titles.get(slug) ?? slug).join(', ');
  };
}
