export { candidateLink, telegramLink } from './invitation-secrets';
export { VacancyFileError, VacancyFileUnreadableError, VacancyUnknownError } from './vacancy';
export { InstanceRepository } from './instance.repository';
export { ExampleVacancies, type PrepareDocuments } from './example-vacancies';
export { VacanciesModule } from './vacancies.module';
export { type InvitationSecrets, withInvitationSecrets } from './invitation-secrets';
export {
  type InviteLookup,
  InvitationRepository,
  type PersonalInvite,
} from './invitation.repository';
export { maskedPin, type Pin, readPin, shownPin } from './pin';
export { PinHasher } from './pin';
export { minutesOf } from './vacancy';
export type {
  Brand,
  InterviewPlan,
  Language,
  Question,
  Vacancy,
  VacancyDraft,
  VacancyOwner,
} from './vacancy';
export { VacancyRepository } from './vacancy.repository';
export { parseVacancy, readVacancyFile, vacancyYaml } from './vacancy-file';
