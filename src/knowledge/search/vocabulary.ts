import type { KnowledgeLanguage } from '../documents';

/**
 * Words for one thing of working life, a line each: candidates say "vacation", personnel
 * departments write "leave". PostgreSQL's dictionaries know endings and no meanings, and its own
 * thesaurus would need files on the database server. General words of hiring only: what is peculiar
 * to one company belongs into its documents.
 */
const ENGLISH = `
vacation holiday leave PTO
salary pay wage compensation income earn
bonus incentive premium
shares stock equity options RSU
remote home WFH hybrid
office building onsite desk
abroad overseas foreign country countries nomad
relocation relocate move moving
visa permit sponsor sponsorship immigration
sick ill illness sickness doctor
parental maternity paternity parent mother father birth baby
child children kid family
probation probationary trial
notice resign resignation quit
insurance medical health healthcare dental
pension retirement
overtime extra hours
schedule hours shift timetable
part-time half-time reduced
on-call pager alert night rota
laptop computer hardware equipment device
training learning course education conference study
promotion career growth advancement grade level
team group colleague coworker
manager boss lead supervisor report
meeting stand-up call sync
technology stack framework language tool
database storage SQL
cloud infrastructure hosting server
deploy deployment release ship
review approve approval
test testing QA quality
legacy debt old outdated
hiring interview recruitment selection stage step
homework take-home assignment task exercise
reject refuse decline rejection
feedback answer reply response
profit profitable revenue earnings funding investor
customer client user
competitor rival alternative
accessibility disability disabled wheelchair accommodation
privacy personal data GDPR
travel trip business-trip
start onboarding first
AI copilot chatbot assistant`;

const RUSSIAN = `
отпуск каникулы отдых
зарплата оклад доход ставка вилка платить
премия бонус
удаленно удаленка удаленный дистанционно гибрид дом дома
офис метро адрес
заграница зарубеж страна граница
переезд переехать релокация
виза разрешение
больничный болезнь болеть заболеть
декрет ребенок дети родители отец мать рождение
испытательный испытание стажировка
уволиться увольнение уволить отработка
страховка страхование дмс медицинский полис врач
сверхурочные переработка
график расписание смена часы
дежурство дежурить ночь ночной
ноутбук компьютер техника оборудование
обучение учеба курсы образование конференция тренинг
карьера рост повышение грейд развитие
группа команда коллектив коллега отдел
руководитель начальник босс подчиняться
система программа инструмент сервис софт CRM
обращение тикет заявка запрос
показатель метрика цифра KPI норма
качество контроль проверка оценка
нанимать найм брать подбор собеседование
полномочия ответственность решать
отбор этап интервью собеседование
тестовое задание
отказ отказать отказывать
ответ фидбек отзыв обратная
оформление оформить договор трудоустройство ТК ИП самозанятость
выход выйти выходить начать приступить старт
командировка поездка ездить
трудный тяжелый сложный минус недостаток проблема
клиент гость покупатель пользователь
прибыль выручка зарабатывать заработок
конкурент аналог
льготы бонусы скидки компенсация
спорт фитнес
психолог выгорание
инвалидность доступность коляска
данные конфиденциальность
нейросеть ИИ бот автоматизация
наставник адаптация онбординг
задача цель план`;

/** The lines with their languages, as two columns of equal length. */
export const VOCABULARY: { readonly languages: KnowledgeLanguage[]; readonly lines: string[] } = {
  languages: [
    ...linesOf(ENGLISH).map(() => 'en' as const),
    ...linesOf(RUSSIAN).map(() => 'ru' as const),
  ],
  lines: [...linesOf(ENGLISH), ...linesOf(RUSSIAN)],
};

function linesOf(text: string): string[] {
  return text.trim().split('\n');
}
