"""What columns are called in eight languages, and what stands in them: a few words of each are enough."""

from __future__ import annotations

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl")

COLUMNS = {
    "patient": "patient id|mrn; Patienten-ID|Patientennummer; numéro patient|id patient; id paciente; id paziente; "
    "patiënt nummer; id do paciente; id pacjenta",
    "customer": "customer id|client no; Kundennummer; numéro client; id cliente; codice cliente; klantnummer; código "
    "do cliente; numer klienta",
    "employee": "employee|staff no; Personalnummer; matricule; número de empleado; matricola; personeelsnummer; "
    "número do funcionário; numer pracownika",
    "user": "user id|login; Benutzer; utilisateur; usuario; utente; gebruiker; utilizador; użytkownik",
    "subject": "person id|subject; Person; personne; persona; codice persona; persoon; pessoa; osoba",
    "site": "site|clinic; Standort; site; sede; sede; locatie; local; oddział",
    "name": "full name|name; Name; nom complet; nombre completo; nome completo; volledige naam; nome completo; imię i nazwisko",
    "given": "first name|given name; Vorname; prénom; nombre; nome; voornaam; nome próprio; imię",
    "family": "surname|last name; Nachname|Familienname; nom de famille; apellidos; cognome; achternaam; apelido; nazwisko",
    "email": "email|e-mail address; E-Mail; courriel; correo electrónico; posta elettronica; e-mailadres; e-mail; adres e-mail",
    "phone": "phone|mobile; Telefon|Handy; téléphone; teléfono; telefono; telefoonnummer; telefone; telefon",
    "street": "street address|address; Straße|Anschrift; adresse; dirección; indirizzo; straat; morada; ulica",
    "born": "date of birth|dob|birthdate; Geburtsdatum; date de naissance; fecha de nacimiento; data di nascita; "
    "geboortedatum; data de nascimento; data urodzenia",
    "age": "age; Alter; âge; edad; età; leeftijd; idade; wiek",
    "zip": "zip|postcode; PLZ; code postal; código postal; CAP; postcode; código postal; kod pocztowy",
    "city": "city|town; Ort|Stadt; ville; ciudad; città; woonplaats; cidade; miasto",
    "sex": "sex|gender; Geschlecht; sexe; sexo; sesso; geslacht; sexo; płeć",
    "job": "job|occupation; Beruf; profession; profesión; professione; beroep; profissão; zawód",
    "marital": "marital status; Familienstand; état civil; estado civil; stato civile; burgerlijke staat; estado "
    "civil; stan cywilny",
    "nation": "nationality; Nationalität; nationalité; nacionalidad; nazionalità; nationaliteit; nacionalidade; narodowość",
    "event": "visit id|record|order no; Vorgang|Beleg; numéro; número; numero; volgnummer; número; numer",
    "when": "date|visit date|timestamp; Datum; date; fecha; data; datum; data; data",
    "text": "notes|comment; Bemerkung; remarques; observaciones; note; opmerkingen; observações; uwagi",
    "diagnosis": "diagnosis|disease; Diagnose; diagnostic; diagnóstico; diagnosi; diagnose; diagnóstico; rozpoznanie",
    "cost": "cost|amount; Betrag|Kosten; montant; importe; importo; bedrag; valor; kwota",
    "product": "product; Artikel; produit; producto; prodotto; artikel; produto; produkt",
    "shop": "shop|store; Filiale; magasin; tienda; negozio; winkel; loja; sklep",
    "quantity": "quantity; Menge; quantité; cantidad; quantità; aantal; quantidade; ilość",
    "month": "month|pay period; Monat; mois; mes; mese; maand; mês; miesiąc",
    "salary": "salary|gross pay; Gehalt; salaire; salario; stipendio; salaris; salário; pensja",
    "department": "department; Abteilung; service; departamento; reparto; afdeling; departamento; dział",
    "device": "device; Gerät; appareil; dispositivo; dispositivo; apparaat; dispositivo; urządzenie",
    "address": "ip|ip address; IP-Adresse; adresse IP; dirección IP; indirizzo IP; IP-adres; endereço IP; adres IP",
    "outcome": "result|status; Ergebnis; résultat; resultado; esito; resultaat; resultado; wynik",
    "teacher": "teacher; Lehrer; enseignant; profesor; insegnante; leraar; professor; nauczyciel",
    "class": "class; Klasse; classe; clase; classe; klas; turma; klasa",
    "grade": "grade|mark; Note; note; nota; voto; cijfer; nota; ocena",
    "household": "household|hh id; Haushalt; ménage; hogar; famiglia; huishouden; agregado; gospodarstwo",
    "income": "income class; Einkommensklasse; tranche de revenu; tramo de ingresos; fascia di reddito; "
    "inkomensklasse; escalão de rendimento; przedział dochodu",
    "answer": "q|answer; Frage; question; pregunta; domanda; vraag; pergunta; pytanie",
    "smoker": "smoker; Raucher; fumeur; fumador; fumatore; roker; fumador; palacz",
}
"""For each meaning its names in the order of `LANGUAGES`, with ``|`` between synonyms."""

NOTHING = ("c1", "c2", "x", "code", "v7", "col", "field3", "f", "val", "nr", "misc", "key1", "ref")
"""Names that say nothing."""

GIVEN = tuple(
    line.split()
    for line in (
        "James Mary John Linda Robert Emma Olivia Noah Liam Ava",
        "Hans Anna Jürgen Sabine Klaus Heike Lukas Mia Jörg Käthe",
        "Jean Marie Luc Chloé Hugo Léa Émile Zoé Théo Inès",
        "José María Lucía Hugo Sofía Iñaki Carmen Pablo Elena Raúl",
        "Luca Giulia Marco Chiara Paolo Sara Nicolò Elena Dario Anna",
        "Jan Sanne Daan Lotte Bram Fleur Sem Tess Joris Anouk",
        "João Inês Tiago Beatriz Rui Marta Luís Ana Nuno Sofia",
        "Jan Anna Piotr Zofia Łukasz Maja Paweł Ewa Michał Hanna",
    )
)

FAMILY = tuple(
    line.split()
    for line in (
        "Smith Jones Brown Taylor Wilson Davis Clark Lewis Young Walker Hall Allen",
        "Müller Schmidt Weber Wagner Becker Schulz Koch Bauer Wolf Krüger Böhm Groß",
        "Martin Bernard Dubois Petit Durand Leroy Moreau Lefèvre Garnier Faure Noël Rivière",
        "García López Pérez Sánchez Gómez Díaz Muñoz Álvarez Romero Ruiz Núñez Ortiz",
        "Rossi Russo Ferrari Bianchi Romano Gallo Costa Fontana Conti Ricci Bruno Greco",
        "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Brouwer",
        "Silva Santos Ferreira Pereira Costa Oliveira Sousa Gomes Lopes Marques Ramos Reis",
        "Nowak Kowalski Wójcik Kamiński Lewandowski Zieliński Szymański Woźniak Mazur Król Dudek Pawlak",
    )
)

CITIES = tuple(
    line.split()
    for line in (
        "Leeds York Bath Derby Hull Truro Ripon Wells",
        "Köln Mainz Ulm Bonn Jena Trier Worms Fürth",
        "Lyon Nantes Dijon Nîmes Metz Tours Brest Pau",
        "Sevilla Cádiz León Bilbao Lugo Jaén Soria Vigo",
        "Roma Torino Pisa Lucca Bari Parma Siena Udine",
        "Utrecht Delft Breda Zwolle Leiden Arnhem Hoorn Venlo",
        "Porto Braga Évora Faro Aveiro Viseu Beja Guarda",
        "Kraków Łódź Gdynia Opole Radom Toruń Lublin Sopot",
    )
)

JOBS = tuple(
    line.split()
    for line in (
        "nurse teacher driver cook clerk engineer farmer lawyer baker smith pilot judge",
        "Pfleger Lehrer Fahrer Koch Beamter Ingenieur Bauer Anwalt Bäcker Schmied Pilot Richter",
        "infirmier enseignant chauffeur cuisinier employé ingénieur fermier avocat boulanger pilote juge facteur",
        "enfermero maestro chófer cocinero empleado ingeniero granjero abogado panadero piloto juez cartero",
        "infermiere maestro autista cuoco impiegato ingegnere contadino avvocato fornaio pilota giudice postino",
        "verpleger leraar chauffeur kok klerk ingenieur boer advocaat bakker piloot rechter postbode",
        "enfermeiro professor motorista cozinheiro empregado engenheiro agricultor advogado padeiro piloto juiz carteiro",
        "pielęgniarz nauczyciel kierowca kucharz urzędnik inżynier rolnik prawnik piekarz pilot sędzia listonosz",
    )
)

STREETS = (
    "{} High Street",
    "Hauptstraße {}",
    "{} rue Victor Hugo",
    "Calle Mayor {}",
    "Via Garibaldi {}",
    "Kerkstraat {}",
    "Rua Augusta {}",
    "ul. Długa {}",
)

SEXES = (("F", "M"), ("w", "m"), ("femme", "homme"), ("mujer", "hombre"), ("f", "m"), ("v", "m"), ("F", "M"), ("K", "M"))
