"""Names of columns, and what people who speak these languages take them for."""

from __future__ import annotations

KINDS = {
    "name": """
        name | Name | first_name | firstName | LASTNAME | last name | surname | full-name | patient_name | CustomerName
        middle_name | maiden_name | nickname | mother_name | contact_name | Vorname | Nachname | Familienname
        Geburtsname | patientenname | Name des Patienten | nom | prénom | PRENOM | nom_de_famille | nom_patient
        nom_usage | nombre | apellido | apellidos | primer_apellido | nombre_completo | nombre_paciente | nome | cognome
        nome_cognome | nominativo | nome completo | sobrenome | apelido | voornaam | achternaam | naam | imię | imie
        nazwisko | imie_nazwisko | given_name | family name | next_of_kin
    """,
    "e-mail address": """
        email | e-mail | E_Mail | eMail | email_address | EmailAddress | contact_email | work_email | mail
        e-mail-adresse | courriel | adresse_mail | correo | correo_electronico | correo electrónico | email2
        customerEmail
    """,
    "telephone number": """
        phone | Phone | phone_number | phoneNumber | mobile | mobile_no | cell_phone | home_phone | phone1 | telephone
        tel | Telefon | Telefonnummer | Handy | handynummer | Rufnummer | téléphone | tel_portable | teléfono | telefono
        móvil | celular | cellulare | telefoon | telefoonnummer | mobiel | telefone | telemóvel | numer_telefonu
        komórka | msisdn
    """,
    "fax number": """
        fax | fax_number | Faxnummer | telefax
    """,
    "street address": """
        street | Street Name | address | home_address | addressLine1 | address_1 | house_number | Straße | Strasse
        strasse_nr | Hausnummer | Anschrift | Adresse | wohnadresse | rue | adresse_postale | calle | dirección
        domicilio | via | indirizzo | numero_civico | straat | straatnaam | huisnummer | adres | rua | endereço | morada
        logradouro | ulica | numer_domu | PO Box | mailing_address
    """,
    "national number": """
        ssn | SSN | social_security_number | national_id | nationalInsuranceNumber | tax_id | Sozialversicherungsnummer
        Steuer-ID | svnr | Ausweisnummer | NIR | numero_secu | numéro_de_sécurité_sociale | dni | NIF | NIE | curp
        codice_fiscale | CodiceFiscale | bsn | burgerservicenummer | CPF | cpf_paciente | pesel | PESEL | ahv-nummer
        aadhaar
    """,
    "insurance number": """
        insurance_number | insurance_id | member_id | subscriber_id | policy_number | medicare_id | Versichertennummer
        Krankenversicherungsnummer | numero_assure | numero_poliza | tarjeta_sanitaria | polisnummer
        numer_ubezpieczenia | nhs_number
    """,
    "account number": """
        account | account_number | accountNo | iban | IBAN | card_number | credit_card_number | creditCard | Kontonummer
        Bankverbindung | numero_compte | rib | cuenta_bancaria | numero_tarjeta | rekeningnummer | conta_corrente
        numer_konta | bic
    """,
    "record number": """
        patient_id | PatientID | patientId | patientNo | Patienten-ID | Patientennummer | mrn | MRN
        medical_record_number | record_number | chart_no | Aktenzeichen | id_patient | numero_patient | numéro_dossier
        id_paciente | historia_clinica | nhc | id_paziente | patiëntnummer | prontuario | id_pacjenta | nr_pacjenta
        pat_id
    """,
    "number of a person": """
        customer_id | CustomerID | customerNumber | client_id | employee | employee_id | emp_no | person_id
        participant_id | subject_id | student_id | donor_id | respondent_id | Kundennummer | Kunden-Nr. | Personalnummer
        Mitarbeiter-ID | Mitgliedsnummer | Matrikelnummer | matricule | id_client | numero_client | id_cliente
        numero_empleado | matricola | codice_cliente | klantnummer | personeelsnummer | id_aluno | numer_klienta
        patient | customer | person_key | staff_id
        personne | Persona | persoon | pessoa | OSOBA | utente | utilizador
    """,
    "login": """
        login | user_name | username | userId | user | Benutzername | nom_utilisateur | nombre_usuario | gebruikersnaam
        screen_name
    """,
    "IP address": """
        ip | ip_address | IPAddress | client_ip | ipv4 | ip-adresse | adresse_ip | source_ip
    """,
    "web address": """
        url | website | homepage | profile_url | linkedin | web_site
    """,
    "license number": """
        driver_license | drivers_licence_no | passport | passport_number | Führerschein | Reisepassnummer | passeport
        pasaporte
    """,
    "vehicle number": """
        vin | license_plate | vehicle_id | Fahrgestellnummer | immatriculation | kenteken | numero_telaio | plate_number
    """,
    "device number": """
        device_id | serial_number | imei | mac_address | Seriennummer | numéro_de_série | numer_seryjny
    """,
    "photo": """
        photo | portrait | face_image | profile_picture | Foto
    """,
    "biometric identifier": """
        fingerprint | finger_prints | voice_print | dna
    """,
    "unique number": """
        uuid | guid | unique_id
    """,
    "number of a visit": """
        visit_id | visitNo | encounter_id | case_number | case_id | admission_id | claim_no | order_id | Fallnummer
        Fall-ID | Besuchsnummer | Aufnahmenummer | Rechnungsnummer | numero_sejour | num_facture | id_visita
        numero_ricovero | zaaknummer | nr_wizyty
    """,
    "free text": """
        notes | Notes | clinical_notes | comment | comments | remarks | free_text | discharge_summary | Bemerkung
        Bemerkungen | Anmerkung | Kommentar | Freitext | Arztbrief | remarques | commentaire | texte_libre
        observaciones | comentarios | osservazioni | opmerking | opmerkingen | toelichting | observações | uwagi
        notatki | doctors_notes
    """,
    "date of birth": """
        dob | DOB | birth_date | birthdate | BirthDate | date_of_birth | born | birthday | patient_dob | Geburtsdatum
        Geburtstag | geb_datum | date_naissance | date_de_naissance | fecha_nacimiento | fecha de nacimiento
        data_nascita | geboortedatum | data_nascimento | data_urodzenia | birth_month | né_le
    """,
    "year of birth": """
        birth_year | birthYear | year_of_birth | yob | Geburtsjahr | Jahrgang | année_naissance | ano_nascimento
        rok_urodzenia | geboortejaar
    """,
    "age": """
        age | Age | AGE | age_years | age_group | ageatdx | age_at_dx | AgeAtDiagnosis | patient_age | wife_age | Alter
        Altersgruppe | âge | tranche_age | edad | età | leeftijd | leeftijdsgroep | idade | faixa_etaria | wiek
    """,
    "sex": """
        sex | Sex | gender | Geschlecht | sexe | sexo | género | sesso | geslacht | płeć | patient_sex
    """,
    "marital status": """
        marital-status | marital | maritalStatus | civil_status | Familienstand | état_civil | estado_civil
        stato_civile | burgerlijke_staat | stan_cywilny
    """,
    "job": """
        job | occupation | profession | workclass | employer | Beruf | Berufsgruppe | métier | emploi | ocupación
        profesión | professione | beroep | profissão | zawód
    """,
    "nationality": """
        nationality | citizenship | country | native-country | Nationalität | Staatsangehörigkeit | Land | nationalité
        pays | nacionalidad | país | nazionalità | nationaliteit | narodowość
    """,
    "postal code": """
        zip | ZIP | zip_code | zipCode | zip5 | postcode | postal_code | PLZ | Postleitzahl | code_postal
        código_postal | codice_postale | cap | cep | kod_pocztowy
    """,
    "place smaller than a state": """
        city | City | town | county | municipality | fips | Ort | Wohnort | Stadt | Gemeinde | Landkreis | ville
        commune | ciudad | municipio | città | comune | stad | gemeente | woonplaats | cidade | concelho | miasto
        gmina | birth_place | address_city
    """,
    "region": """
        region | state | province | Bundesland | région | provincia | estado | województwo
    """,
    "race": """
        race | ethnicity | ethnic_group | Herkunft | raza | etnia | raça
    """,
    "religion": """
        religion | Konfession | religión | wife_religion | wyznanie
    """,
    "education": """
        education | education-num | husband_education | Schulabschluss | Bildungsstand | niveau_etudes | escolaridad
        titolo_di_studio | opleiding | wykształcenie
    """,
    "income": """
        income | salary | salary-class | annual_income | Gehalt | Einkommen | salaire | revenu | salario | reddito
        inkomen | renda | wynagrodzenie
    """,
    "diagnosis": """
        diagnosis | Diagnose | diagnosis_code | icd10 | disease | medication | HIV | Krankheit | maladie | enfermedad
        malattia | ziekte | choroba | diagnóstico
    """,
    "coordinate": """
        latitude | lat | lon | longitude | Breitengrad | latitud
    """,
}
"""Names by what they say."""

OTHERS = """
    id | visits | visit | name_of_hospital | hospital_name | class | size | description | fnlwgt | capital-gain
    capital-loss | hours-per-week | children_born | SOL_index | media_exposure | contraceptive_method_use | parents
    has_nurs | form | children | housing | finance | social | health | timezone | active | zip_code_type | PO60
    freq_pct | cum_pct | rank | x | y | u | v | value | amount | price | quantity | product_id | shop_id | store
    ward | ward_id | department | hospital | page | package | percentage | mileage | average_cost | usage | storage
    message_type | phone_type | email_verified | has_phone | account_type | account_balance | account_status
    last_login_date | login_count | number_of_patients | patients_per_day | order_count | visit_count | product_name
    company_name | file_name | column_name | street_type | url_length | card_type | ip_version | comment_count
    dosage | dose | temperature | bpm | species | title | brand | model | color | version | created_at | updated_at
    anzahl | Menge | Preis | Betrag | Produkt | Filiale | Abteilung | Station | Dauer | quantité | prix | produit
    magasin | cantidad | precio | producto | tienda | quantità | prezzo | prodotto | aantal | prijs | winkel
    quantidade | preço | produto | ilość | cena | sklep | duration | batch | lot | revenue | discount | tax
    category | type | status | flag | label | target | unit
"""
"""Names that say nothing about people, or not what would identify one."""


def split(names: str) -> list[str]:
    """Return names that are written one after the other."""
    return [name.strip() for line in names.splitlines() for name in line.split("|") if name.strip()]
