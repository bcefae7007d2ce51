export { candidateLink } from './candidate-link';
export { VacancyFileError, VacancyFileUnreadableError, VacancyUnknownError } from './errors';
export { ExampleVacancies, type PrepareDocuments } from './example-vacancies';
export { HiringModule } from './hiring.module';
export { type InvitationSecrets, isPin, newInvitationSecrets } from './invitation-secrets';
export { type FoundInvite, Invitations } from './invitations';
export type { InterviewPlan, Language, Question, Vacancy, VacancyDraft } from './plan';
export { Vacancies } from './vacancies';
export { parseVacancy, readVacancyFile } from './vacancy-file';
